import { ApiServer, defineEndpoint, integerId, reply } from 'restpoint';

const reports = new Map<number, string>();

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/report': defineEndpoint({
    id: integerId,
    create: {
      run: () => {
        const id = reports.size + 1;
        reports.set(id, 'id,name\n1,Rex');
        return reply(202, { status: 'queued' }, { Location: `/v1/report/${id}` });
      },
    },
    get: (id) => {
      const csv = reports.get(id);
      return csv && reply(200, csv, { 'Content-Type': 'text/csv; charset=utf-8', ETag: `"report-${id}"` });
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
