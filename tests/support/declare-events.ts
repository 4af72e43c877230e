/** An endpoint whose list sends server-sent events. */
import { events } from '../../src/formats/index.ts';
import { stringId, type ApiRequest, type ApiServer, type Format } from '../../src/index.ts';

export const acceptAnything = (value: any): unknown => value;

/** Events with a comment after a short silence. */
export function makeQuickEvents(heartbeatMs: number): Format {
  const output = events(acceptAnything);
  Object.assign(output[' internal'], { heartbeatMs });
  return output;
}

/** Declares `GET /pet`, which sends the events that `give` returns. */
export function declareEvents(give: (request: ApiRequest) => unknown, output: Format = events(acceptAnything)): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', { id: stringId, get: () => 1, list: { output, run: give } });
}
