/** All responses fit the document. GET and QUERY change nothing, and HEAD has the headers of GET (RFC 9110 sections 9.2.1 and 9.3.2). */
import { listGets } from './probe.ts';
import { type AnyRow, called, only, row, steady } from './row.ts';
import { formatDeclaration, isSafeSubject } from './subject.ts';

/** The headers that must be the same for HEAD and GET. */
const HEADERS = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control', 'location', 'link', 'vary'] as const;

export const READS: readonly AnyRow[] = [
  row({
    rules: 'O8 O17 O18 R13', find: () => only(true),
    what: ({ route }) => `${route}: the response is as the document says`,
    verify: async (probe) => void await probe.succeed(isSafeSubject(probe.subject) ? 'success for an item that exists' : 'success for the sample'),
  }),
  row({
    rules: 'A3 R8', find: ({ method }) => only(method === 'GET'),
    what: ({ path }) => `HEAD ${path}: as GET, without a body`,
    needs: [called, steady],
    verify: async (probe) => {
      const got = await probe.call();
      const head = await probe.tools.requests.send(probe.subject, 'HEAD', probe.path, await probe.partsOf());
      probe.expect(head.status === got.status, head, `${got.status}, as for GET`);
      for (const name of HEADERS) {
        const [expected, own] = [got, head].map(({ headers }) => headers[name]);
        probe.expect(own === expected, head, `${name}: ${String(expected)}, as for GET, not ${String(own)}`);
      }
    },
  }),
  row({
    rules: 'S1', find: ({ operation: { kind, caching } }) => only(kind.reads && caching?.control !== undefined),
    what: ({ route }) => `${route}: a success has Cache-Control, and a 304 has the same`,
    verify: async (probe) => {
      const got = await probe.call();
      const { 'cache-control': control } = got.headers;
      probe.expect(control !== undefined, got, 'Cache-Control, as the declaration says');
      // `*` matches any item that exists.
      const known = await probe.call({ headers: { 'if-none-match': '*' } });
      const isSame = known.status === 304 && known.headers['cache-control'] === control;
      probe.expect(isSame, known, `304 to If-None-Match: *, with Cache-Control: ${control}`);
    },
  }),
  row({
    rules: 'Y1', find: (subject, tools) => only(isSafeSubject(subject) && listGets(tools, subject).length > 0),
    what: ({ route }) => `${route}: has the same response twice`,
    keeps: () => true,
    verify: (probe) => probe.keep(() => probe.call()),
  }),
];

export const EXAMPLES: readonly AnyRow[] = [
  row({
    rules: 'O8 O18', find: (subject, { requests }) => only([...requests.listExamples(subject)].length > 0),
    what: ({ route }) => `${route}: its examples are as its schemas say`,
    needs: [],
    verify: ({ tools: { requests }, subject }) => {
      const wrong = [...requests.listExamples(subject)].find(({ issue }) => issue !== undefined);
      if (wrong !== undefined) throw new Error(`the example ${wrong.at} is wrong: ${wrong.issue} (${subject.operationId}, ${formatDeclaration(subject)})`);
    },
  }),
];
