/**
 * The same answers as the endpoints of `experiments/cost.js`, byte for byte, from a listener written by hand for just these
 * two: it reads the id as strictly, checks the same shape, and does nothing else that restpoint does.
 */
import { flawOf } from './contenders/pets.js';

const PREFIX = '/v1/pet/';
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

export function handWritten(pets) {
  return (request, response) => {
    const { method, url } = request;
    if (method === 'GET' && url.startsWith(PREFIX)) get(pets, url.slice(PREFIX.length), response);
    else if (method === 'POST' && url === '/v1/pet') post(pets, request, response);
    else response.writeHead(404, ['Content-Length', '0']).end();
  };
}

function get(pets, text, response) {
  const id = DECIMAL.test(text) ? Number(text) : NaN;
  const pet = Number.isSafeInteger(id) ? pets.find(id) : undefined;
  if (pet === undefined) {
    response.writeHead(404, ['Content-Length', '0']).end();
    return;
  }
  const json = JSON.stringify(pet);
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))]);
  response.end(json);
}

function post(pets, request, response) {
  const chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= 2 ** 20) chunks.push(chunk);
  });
  request.on('end', () => {
    let pet;
    try {
      pet = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    } catch {
      pet = undefined;
    }
    if (bytes > 2 ** 20 || flawOf(pet) !== undefined) {
      response.writeHead(400, ['Content-Length', '0']).end();
      return;
    }
    const id = String(pets.insert(pet));
    const head = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(id.length), 'Location', PREFIX + id];
    response.writeHead(201, head);
    response.end(id);
  });
}
