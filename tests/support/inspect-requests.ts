/** An endpoint whose operations pass their request to a function. */
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../src/index.ts';

/** Declares `/thing` with every operation: Custom `feed` takes a number, `count` takes nothing. */
export function inspectRequests(inspect: (request: ApiRequest) => unknown): (server: ApiServer) => void {
  const inspectAndReturnText = async (request: ApiRequest): Promise<string> => {
    await inspect(request);
    return 'text';
  };
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: String,
    create: (_item, request) => inspectAndReturnText(request),
    get: (_id, request) => inspectAndReturnText(request),
    update: async (_id, _item, request) => void (await inspect(request)),
    delete: async (_id, request) => void (await inspect(request)),
    custom: {
      feed: { input: Number, run: (_input, request) => inspectAndReturnText(request) },
      count: { run: (request) => inspectAndReturnText(request) },
    },
  }));
}
