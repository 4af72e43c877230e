/** T3: The address of a client behind proxies: lists that it forges, and addresses in every notation. */
import { findClient, toNetwork, trustProxies } from '../../src/http/client-address.ts';
import { assert, rejections, suite } from '../support/facts.ts';

const NOBODY = 0;
const ONE = 1;
const PRIVATE = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8', '::1'];

const clients = suite('the client behind proxies');
for (const { peer = '10.0.0.1', lines, trusted, client, why } of [
  { why: 'without proxies, the header is not read', trusted: NOBODY, lines: '6.6.6.6', client: '10.0.0.1' },
  { why: 'a list without trusted addresses', trusted: [], lines: '6.6.6.6', client: '10.0.0.1' },
  { why: 'one proxy has appended one address', trusted: ONE, lines: '192.0.2.1', client: '192.0.2.1' },
  { why: 'a client has sent a list', trusted: ONE, lines: '6.6.6.6, 7.7.7.7,192.0.2.1', client: '192.0.2.1' },
  { why: 'a client has sent commas', trusted: ONE, lines: ',,, ,192.0.2.1', client: '192.0.2.1' },
  { why: 'two proxies', trusted: 2, lines: '6.6.6.6, 192.0.2.1, 10.0.0.2', client: '192.0.2.1' },
  { why: 'fewer proxies than expected', trusted: 3, lines: '192.0.2.1', client: '192.0.2.1' },
  { why: 'no list at all', trusted: ONE, lines: undefined, client: '10.0.0.1' },
  { why: 'an empty list', trusted: ONE, lines: '', client: '10.0.0.1' },
  { why: 'a Unix socket, and a proxy', trusted: ONE, peer: undefined, lines: '192.0.2.1', client: '192.0.2.1' },
  { why: 'a Unix socket, and no proxy', trusted: NOBODY, peer: undefined, lines: '192.0.2.1', client: undefined },
  { why: 'a Unix socket is in no network', trusted: PRIVATE, peer: undefined, lines: '192.0.2.1', client: undefined },
  { why: 'networks: the first that is not in one', trusted: PRIVATE, lines: '6.6.6.6, 192.0.2.1, 10.9.9.9', client: '192.0.2.1' },
  { why: 'networks: a client in one cannot forge', trusted: PRIVATE, peer: '192.0.2.1', lines: '6.6.6.6', client: '192.0.2.1' },
  { why: 'networks: all are proxies', trusted: PRIVATE, lines: '10.0.0.3, 10.0.0.2', client: '10.0.0.3' },
  { why: 'networks: a client pretends to be a proxy', trusted: PRIVATE, lines: '10.6.6.6, 192.0.2.1', client: '192.0.2.1' },
  { why: 'networks of IPv6', trusted: PRIVATE, peer: 'fd12::1', lines: '2001:db8::1', client: '2001:db8::1' },
  { why: 'networks: IPv4 is not in one of IPv6', trusted: ['::/0'], lines: '192.0.2.1', client: '10.0.0.1' },
  { why: 'a mapped network', trusted: ['::ffff:10.0.0.0/104'], lines: '192.0.2.1', client: '192.0.2.1' },
  { why: 'a network of all', trusted: ['0.0.0.0/0'], lines: '6.6.6.6, 192.0.2.1', client: '6.6.6.6' },
  { why: 'garbage stands for the proxy', trusted: 2, lines: '192.0.2.1, unknown', client: '10.0.0.1' },
  { why: 'garbage that a client has sent', trusted: 2, lines: '<script>, 10.0.0.2', client: '10.0.0.2' },
  { why: 'a mapped peer is one of IPv4', trusted: NOBODY, peer: '::ffff:192.0.2.1', lines: undefined, client: '192.0.2.1' },
  { why: 'a mapped peer in hexadecimal', trusted: NOBODY, peer: '::FFFF:C000:0201', lines: undefined, client: '192.0.2.1' },
  { why: 'a mapped peer is in the network of IPv4', trusted: PRIVATE, peer: '::ffff:10.0.0.1', lines: '192.0.2.1', client: '192.0.2.1' },
  { why: 'IPv6 in one spelling', trusted: NOBODY, peer: '2001:DB8:0001:2:3:0:0:0', lines: undefined, client: '2001:db8:1:2:3::' },
  { why: 'IPv6 of all zeros', trusted: NOBODY, peer: '0:0:0:0:0:0:0:0', lines: undefined, client: '::' },
  { why: 'IPv6 with a zone', trusted: NOBODY, peer: 'fe80::1%eth0', lines: undefined, client: 'fe80::1' },
  { why: 'with a port', trusted: ONE, lines: '192.0.2.1:4711', client: '192.0.2.1' },
  { why: 'IPv6 with a port', trusted: ONE, lines: '[2001:db8::1]:4711', client: '2001:db8::1' },
  { why: 'IPv4 with leading zeros is none', trusted: ONE, lines: '192.0.02.1', client: '10.0.0.1' },
] as readonly {
  readonly why: string; readonly peer?: string; readonly lines: string | undefined; 
  readonly trusted: number | readonly string[]; readonly client: string | undefined;
}[]) {
  clients(why, () => {
    const from = /Unix/.test(why) ? undefined : peer;
    assert.is(findClient(from, lines === undefined ? [] : ['X-Forwarded-For', lines], trustProxies(trusted, 'proxy.trusted')), client);
  });
}
clients('16 KiB of a forged list are not read', () => {
  assert.is(findClient('10.0.0.1', ['x-forwarded-for', '6.6.6.6,'.repeat(2048), 'X-Forwarded-For', '192.0.2.1'], trustProxies(1, '')), '192.0.2.1');
});
for (const [client, network] of [['192.0.2.1', '192.0.2.1'], ['2001:db8:1:2:3::', '20010db800010002/64'], ['::', '0000000000000000/64'], ['', '']] as const) {
  clients(`the quota of ${client} is that of ${network}`, () => assert.is(toNetwork(client), network));
}
for (const [trusted, text] of [
  [-1, 'proxy.trusted must be a number of proxies from 0 to 100, or a list of addresses and networks: -1'],
  [1.5, 'proxy.trusted must be a number of proxies from 0 to 100, or a list of addresses and networks: 1.5'],
  [true, 'proxy.trusted must be a number of proxies from 0 to 100, or a list of addresses and networks: true'],
  ...['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10/8', '::ffff:10.0.0.0/95', 7].map((each) => {
    return [[each], `proxy.trusted must have addresses and networks, such as "10.0.0.0/8": ${each}`] as const;
  }),
] as const) rejections(clients, [['', () => trustProxies(trusted, 'proxy.trusted'), text]]);
