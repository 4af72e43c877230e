/** The requests of the soak test, and their expected responses. */
import { chunkedMessage, message } from '../support/messages.ts';
import type { Random } from '../support/random.ts';

export interface Question {
  /** One character for each byte. */
  readonly bytes: string;
  readonly method: string;
  readonly status: number;
  /** `undefined` for any. */
  readonly body?: string;
}

const KEY = ['X-Key: open'];

/** A question that gets a success. */
export function goodQuestion(random: Random): Question {
  const marker = `m${random.below(1e9)}`;
  const id = String(random.below(1e9));
  const note = JSON.stringify({ marker });
  const make = random.pick([message, chunkedMessage]);
  const film = `/v1/zoo/${random.below(9)}/film`;
  const sent = 'x'.repeat(random.below(20_000));
  return random.pick<Question>([
    { bytes: message('GET', `/v1/note/${id}`), method: 'GET', status: 200, body: JSON.stringify({ marker: id }) },
    { bytes: message('HEAD', `/v1/note/${id}`), method: 'HEAD', status: 200 },
    { bytes: message('DELETE', `/v1/note/${id}`), method: 'DELETE', status: 204 },
    { bytes: message('OPTIONS', '/v1/note'), method: 'OPTIONS', status: 200, body: '' },
    { bytes: make('PUT', `/v1/note/${id}`, note), method: 'PUT', status: 204 },
    { bytes: make('POST', '/v1/note', note), method: 'POST', status: 201 },
    { bytes: make('POST', '/v1/note/say', note), method: 'POST', status: 200, body: note },
    { bytes: make('POST', '/v1/note/say', JSON.stringify({ marker: marker.padEnd(20_000, 'x') })), method: 'POST', status: 200 },
    { bytes: message('GET', `${film}/${id}`, '', KEY), method: 'GET', status: 200, body: `<${id}>` },
    { bytes: message('HEAD', `${film}/${id}`, '', KEY), method: 'HEAD', status: 200 },
    { bytes: make('POST', `${film}/size`, sent, KEY), method: 'POST', status: 200, body: String(sent.length) },
    // The server keeps the connection, since the declared length is short.
    { bytes: message('POST', `${film}/echo`, sent, KEY), method: 'POST', status: 200, body: sent },
    { bytes: message('POST', `${film}/unread`, sent, KEY), method: 'POST', status: 200, body: '"unread"' },
    { bytes: message('GET', `/files/${marker}?q`), method: 'GET', status: 200, body: `/${marker}?q` },
  ]);
}

/** A question that the server returns 200 after half a second. */
export function longQuestion(random: Random): Question {
  const note = JSON.stringify({ marker: `m${random.below(1e9)}` });
  return { bytes: message('POST', '/v1/note/later', note), method: 'POST', status: 200, body: note };
}

/** A question that the server rejects. It may close the connection after the response. */
export function badQuestion(random: Random): Question {
  const [bytes, status] = random.pick([
    [message('GET', '/nowhere'), 404],
    [message('PATCH', '/v1/note/1'), 405],
    [message('GET', '/v1/note/ant'), 400],
    [message('POST', '/v1/note', '{"marker":'), 400],
    [message('POST', '/v1/zoo/7/film/size', 'x'.repeat(20_000)), 403],
    [chunkedMessage('POST', '/v1/zoo/7/film/size', 'x'.repeat(150_000), KEY), 413],
    [message('GET', '/v1/zoo/ant/film/1', '', KEY), 400],
    [message('POST', '/v1/note', '{"marker":1}'), 400],
    [message('POST', '/v1/note', '{}', ['Content-Type: text/plain']), 415],
    [message('POST', '/v1/note', ' '.repeat(100_001)), 413],
    [chunkedMessage('POST', '/v1/note', ' '.repeat(300_000)), 413],
    [message('GET', '/v1/note/1', '', ['Host: b']), 400],
    [message('GET', '/v1/note/1', '', ['Expect: nothing']), 417],
    [message('GET', '/v1/note/1', '', [`X: ${'x'.repeat(20_000)}`]), 431],
    [message('POST', '/v1/note', '{}', ['Transfer-Encoding: chunked']), 400],
    ['nonsense\r\n\r\n', 400],
  ]);
  return { bytes, method: 'GET', status };
}
