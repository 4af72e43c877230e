/** The time of a request with the head of a program that loads servers, of a browser, and of a gateway, as in `in-process.js`. */
import { HEADS, WITH_HEADS } from '../contenders/operations.js';
import { cell, measure, NOTES } from './in-process.js';

export const title = 'In process: the time of a request by its head';

export const run = () => measure(WITH_HEADS);

export function makeTable(data) {
  const operations = [...new Set(WITH_HEADS.map(({ operation }) => operation))];
  return {
    notes: `${NOTES} A browser sends 14 lines, a gateway in front of it 20.`,
    columns: ['Operation', '', ...HEADS.map(({ name }) => name)],
    rows: operations.flatMap((operation) => Object.keys(Object.values(data)[0]).map((name) => {
      return [operation, name, ...HEADS.map((head) => cell(name, data[`${operation}, ${head.name}`][name]))];
    })),
  };
}
