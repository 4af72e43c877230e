// page.tsx
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
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
  const [edited, setEdited] = useState<number>();
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <>
      <ul>
        {data?.map(({ id, name, legs, meals }) => (
          <li key={id}>
            {name}, {legs} legs, {meals} meals <button onClick={() => feed.mutate(id)}>Feed</button> <button onClick={() => setEdited(id)}>Edit</button>
          </li>
        ))}
      </ul>
      {edited !== undefined && <EditPet key={edited} id={edited} close={() => setEdited(undefined)} />}
    </>
  );
}

/** Reads a pet with its tag. */
async function read(id: number) {
  const found = await pets.get(id, { safe: true });
  if (!found.ok) throw new Error(found.problem.title);
  return { pet: found.value, etag: found.etag ?? '' };
}

/** A form for a pet. It shows what somebody else has saved in the meantime, and overwrites that only if its user says so. */
function EditPet({ id, close }: { id: number; close: () => void }) {
  // Read once, when the form opens: the tag of a later version would allow to overwrite what the user has not seen.
  const opened = useQuery({ queryKey: ['form', id], queryFn: () => read(id), staleTime: Infinity, gcTime: 0 });
  const save = useMutation({
    mutationFn: async ({ mine, seen }: { mine: { name: string; legs: number }; seen: Awaited<ReturnType<typeof read>> }) => {
      try {
        await pets.update(id, { ...seen.pet, ...mine }, { ifMatch: seen.etag });
      } catch (error) {
        if (error instanceof ProblemError && error.is(412)) return read(id);
        throw error;
      }
      close();
      return undefined;
    },
  });
  const theirs = save.data;
  const seen = theirs ?? opened.data;
  const error = opened.error ?? save.error;
  if (seen === undefined) return error && <p role="alert">{error.message}</p>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    save.mutate({ mine: { name: String(form.get('name')), legs: Number.parseInt(String(form.get('legs'))) }, seen });
  };
  return (
    <form onSubmit={submit}>
      <label>Name <input name="name" defaultValue={seen.pet.name} /></label>
      <label>Legs <input name="legs" defaultValue={seen.pet.legs} /></label>
      {theirs && <p role="alert">Somebody else has saved {theirs.pet.name}, {theirs.pet.legs} legs.</p>}
      {error && <p role="alert">{error.message}</p>}
      <button>{theirs ? 'Save mine instead' : 'Save'}</button> <button type="button" onClick={close}>{theirs ? 'Keep theirs' : 'Cancel'}</button>
    </form>
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
