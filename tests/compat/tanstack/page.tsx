// page.tsx
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { client, ProblemError } from 'restpoint/client';
import type { Api } from './pets.ts';

const api = client<Api>('/v1', { retries: 3 });
const pets = api('/pet');
// The client repeats what may be repeated.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

/** Reloads the list after each change, whoever makes it. */
async function follow(signal: AbortSignal) {
  for await (const _ of api.one('/revision').get({ signal })) await queries.invalidateQueries({ queryKey: ['pets'] });
}

function Pets() {
  const { data, error } = useQuery({ queryKey: ['pets'], queryFn: ({ signal }) => pets.list({ signal }) });
  // If another page has fed the pet in the meantime, both meals count.
  const feed = useMutation({ mutationFn: (id: number) => pets.edit(id, (pet) => ({ ...pet, meals: pet.meals + 1 })) });
  useEffect(() => {
    const left = new AbortController();
    void follow(left.signal);
    return () => left.abort();
  }, []);
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <ul>
      {data?.map(({ id, name, legs, meals }) => (
        <li key={id}>{name}, {legs} legs, {meals} meals <button onClick={() => feed.mutate(id)}>Feed</button></li>
      ))}
    </ul>
  );
}

function NewPet() {
  const create = useMutation({ mutationFn: (pet: { name: string; legs: number }) => pets.create(pet) });
  const fields = create.error instanceof ProblemError ? create.error.fields : {};
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    create.mutate({ name: String(form.get('name')), legs: Number.parseInt(String(form.get('legs'))) });
  };
  return (
    <form onSubmit={submit}>
      <label>Name <input name="name" /> <em>{fields['name']}</em></label>
      <label>Legs <input name="legs" /> <em>{fields['legs']}</em></label>
      <button>Add</button>
      {Object.keys(fields).length === 0 && create.error && <p role="alert">{create.error.message}</p>}
    </form>
  );
}

createRoot(document.querySelector('main')!).render(<QueryClientProvider client={queries}><Pets /><NewPet /></QueryClientProvider>);
