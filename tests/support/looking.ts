/** An endpoint whose operations pass their request to a function. */
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../src/index.ts';

/** Declares `/thing` with every operation: Custom `feed` takes a number, `count` takes nothing. */
export function looking(look: (request: ApiRequest) => unknown): (server: ApiServer) => void {
  const lookAndGiveText = async (request: ApiRequest): Promise<string> => {
    await look(request);
    return 'text';
  };
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: String,
    create: (_item, request) => lookAndGiveText(request),
    get: (_id, request) => lookAndGiveText(request),
    update: async (_id, _item, request) => void (await look(request)),
    delete: async (_id, request) => void (await look(request)),
    custom: {
      feed: { input: Number, run: (_input, request) => lookAndGiveText(request) },
      count: { run: (request) => lookAndGiveText(request) },
    },
  }));
}
