/** What a page imports. It is compiled with the types of the DOM, and without those of Node. */
import { client, ProblemError, type ClientOptions, type IdCodec } from 'restpoint/client';
import { queries } from 'restpoint/queries';

interface Pets {
  readonly id: IdCodec<number>;
  readonly get: { readonly 200: { readonly born: string } };
  readonly custom: { readonly photo: { readonly 200: string } };
}
const options: ClientOptions = { credentials: 'include', headers: new Headers(), fetch: window.fetch };

export async function show(element: HTMLElement): Promise<void> {
  const api = client<{ readonly '/pet': Pets }>('/v1', options);
  const pets = api('/pet');
  try {
    const { born } = await pets.get(1, { signal: AbortSignal.timeout(1000) });
    element.textContent = born.slice(0, 4);
    element.title = (await queries(api)('/pet').get(1).queryFn()).born;
    const response: Response = await pets.custom.photo(undefined, { raw: true });
    element.append(URL.createObjectURL(await response.blob()));
  } catch (error) {
    if (error instanceof ProblemError) element.textContent = error.problem.detail ?? error.problem.title;
  }
}
