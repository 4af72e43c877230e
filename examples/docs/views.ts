import { type ApiRequest, ApiServer, defineEndpoint, integerId, views } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { z } from 'zod';

const users = new Map([['token-of-ann', { isStaff: true }], ['token-of-bob', { isStaff: false }]]);
type User = { readonly isStaff: boolean };

const Pet = z.object({ name: z.string() });
const StaffPet = Pet.extend({ email: z.string() });
const forCaller = views([StaffPet, Pet], ({ context }: ApiRequest<User>) => (context.isStaff ? StaffPet : Pet));
const lists = { staff: z.array(StaffPet), all: z.array(Pet) };
const listForCaller = views([lists.staff, lists.all], ({ context }: ApiRequest<User>) => (context.isStaff ? lists.staff : lists.all));

const pet = { name: 'Rex', email: 'ann@example.com' };
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    context: bearer((token) => users.get(token)),
    list: { output: listForCaller, run: () => [pet] },
    get: { output: forCaller, run: () => pet },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
