// page.tsx
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ComponentProps, type FormEvent } from 'react';
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

const FIELDS = ['name', 'legs'] as const;

/** A form for a pet. Fields that its user has not touched show what somebody else has saved in the meantime. */
function EditPet({ id, close }: { id: number; close: () => void }) {
  // Read once, when the form opens: the tag of a later version would allow to overwrite what the user has not seen.
  const opened = useQuery({ queryKey: ['form', id], queryFn: () => read(id), staleTime: Infinity, gcTime: 0 });
  const [theirs, setTheirs] = useState<typeof opened.data>();
  const [mine, setMine] = useState<{ [Name in (typeof FIELDS)[number]]?: string }>({});
  const save = useMutation({
    mutationFn: async ({ pet, etag }: NonNullable<typeof theirs>) => {
      const { name = pet.name, legs = String(pet.legs) } = mine;
      try {
        await pets.update(id, { ...pet, name, legs: Number.parseInt(legs) }, { ifMatch: etag });
        close();
      } catch (error) {
        if (!(error instanceof ProblemError && error.is(412))) throw error;
        setTheirs(await read(id));
      }
    },
  });
  const seen = theirs ?? opened.data;
  const error = opened.error ?? save.error;
  const fields = error instanceof ProblemError ? error.fields : {};
  const changed = FIELDS.filter((name) => theirs && theirs.pet[name] !== opened.data?.pet[name]);
  return (
    <form onSubmit={(event) => (event.preventDefault(), seen && save.mutate(seen))}>
      {seen && FIELDS.map((name) => (
        <Field key={name} name={name} messages={fields[name]} value={mine[name] ?? seen.pet[name]}
          onChange={({ target }) => setMine({ ...mine, [name]: target.value })} />
      ))}
      {theirs && (
        <p role="alert">Somebody else has changed {changed.map((name) => `${name} to ${theirs.pet[name]}`).join(' and ') || 'something else'}. Save again?</p>
      )}
      {Object.keys(fields).length === 0 && error && <p role="alert">{error.message}</p>}
      <button disabled={!seen}>Save</button> <button type="button" onClick={close}>Cancel</button>
    </form>
  );
}

function Field({ messages, ...input }: ComponentProps<'input'> & { messages: readonly string[] | undefined }) {
  return <label>{input.name} <input {...input} /> <em>{messages?.join('; ')}</em></label>;
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
      {FIELDS.map((name) => <Field key={name} name={name} messages={fields[name]} />)}
      <button>Add</button>
      {Object.keys(fields).length === 0 && create.error && <p role="alert">{create.error.message}</p>}
    </form>
  );
}

createRoot(document.querySelector('main')!).render(<QueryClientProvider client={queries}><Pets /><NewPet /></QueryClientProvider>);
