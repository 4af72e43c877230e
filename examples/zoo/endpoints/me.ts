/** The keeper who is signed in. */
import { defineEndpoint } from 'restpoint';
import type { SignIn } from '../keepers.ts';
import { anyText, object } from '../schema.ts';

const Keeper = object('Keeper', { name: anyText });

export function meForKeepers(signIn: SignIn) {
  return defineEndpoint({
    context: signIn,
    get: { output: Keeper, run: ({ context }) => context },
  });
}
