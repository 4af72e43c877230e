import { ApiError, ApiServer, defineEndpoint, problem, stringId } from 'restpoint';

class Closed extends Error {}

const left = new Map([['monday', 1], ['tuesday', 0]]);

function takeTicket(day: string) {
  const tickets = left.get(day);
  if (tickets === undefined) throw new Closed(day);
  if (tickets > 0) left.set(day, tickets - 1);
  return tickets > 0;
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/ticket': defineEndpoint({
    id: stringId,
    mapError: (error) => (error instanceof Closed ? ApiError.status(409, 'The zoo is closed on this day.') : undefined),
    itemCustom: {
      buy: (day) => {
        if (takeTicket(day)) return { day };
        return problem(409, 'No ticket is left.', { day }, { type: '/problems/sold-out', title: 'Sold out' });
      },
      check: () => {
        throw new Error('the password of the database is secret');
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
