/**
 * The requests that a page can send. Each function runs in the page. `own` is the response if the page is of the server's origin.
 */

/** Requests that browsers send without a preflight. */
export const SENT_AT_ONCE = [
  {
    name: 'fetch in no-cors mode, of a Blob without a type',
    own: 'POST 201',
    send: async (base) => void (await fetch(`${base}/pet`, { mode: 'no-cors', method: 'POST', body: new Blob(['{}']) })),
  },
  {
    name: 'fetch in no-cors mode, of a Blob without a type, with cookies',
    own: 'POST 201',
    send: async (base) => void (await fetch(`${base}/pet`, { mode: 'no-cors', method: 'POST', body: new Blob(['{}']), credentials: 'include' })),
  },
  {
    name: 'fetch in no-cors mode, of bytes',
    own: 'POST 201',
    send: async (base) => void (await fetch(`${base}/pet`, { mode: 'no-cors', method: 'POST', body: new TextEncoder().encode('{}') })),
  },
  {
    name: 'fetch in no-cors mode, of text',
    own: 'POST 415',
    send: async (base) => void (await fetch(`${base}/pet`, { mode: 'no-cors', method: 'POST', body: '{}' })),
  },
  {
    name: 'fetch in no-cors mode, of a Custom without a body',
    own: 'POST 200',
    send: async (base) => void (await fetch(`${base}/pet/count`, { mode: 'no-cors', method: 'POST' })),
  },
  {
    name: 'fetch in no-cors mode, with a token and a type that the browser drops',
    own: 'POST 415',
    send: async (base) => {
      const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' };
      await fetch(`${base}/pet`, { mode: 'no-cors', method: 'POST', headers, body: '{}' });
    },
  },
  {
    name: 'fetch in cors mode, of a Blob without a type',
    own: 'POST 201',
    send: async (base) => void (await fetch(`${base}/pet`, { method: 'POST', body: new Blob(['{}']) }).catch(() => {})),
  },
  {
    name: 'XMLHttpRequest of a Custom without a body',
    own: 'POST 200',
    send: (base) => {
      const request = new XMLHttpRequest();
      request.open('POST', `${base}/pet/count`);
      request.send();
    },
  },
  {
    name: 'a beacon of a Blob without a type',
    own: 'POST 201',
    send: (base) => void navigator.sendBeacon(`${base}/pet`, new Blob(['{}'])),
  },
  {
    name: 'a beacon of text',
    own: 'POST 415',
    send: (base) => void navigator.sendBeacon(`${base}/pet`, '{}'),
  },
  {
    name: 'a beacon without data, of a Custom',
    own: 'POST 200',
    send: (base) => void navigator.sendBeacon(`${base}/pet/count`),
  },
  {
    name: 'a form of text that is JSON',
    own: 'POST 415',
    send: (base) => {
      document.body.innerHTML = `<form method="post" enctype="text/plain" action="${base}/pet"><input name='{"name":"' value='"}'></form>`;
      setTimeout(() => document.forms[0].submit());
    },
  },
  {
    name: 'a form without fields, of a Custom',
    own: 'POST 200',
    send: (base) => {
      document.body.innerHTML = `<form method="post" action="${base}/pet/count"></form>`;
      setTimeout(() => document.forms[0].submit());
    },
  },
  {
    name: 'a form of several parts, of a Custom',
    own: 'POST 200',
    send: (base) => {
      document.body.innerHTML = `<form method="post" enctype="multipart/form-data" action="${base}/pet/count"></form>`;
      setTimeout(() => document.forms[0].submit());
    },
  },
];

/** Requests for which browsers send a preflight if the page is of a different origin. `gets` is the response if it is granted. */
export const ASKED_FOR = [
  {
    name: 'a Create of JSON',
    gets: 'POST 201',
    send: (base) => {
      return fetch(`${base}/pet`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then(({ status }) => status);
    },
  },
  {
    name: 'a Create without a type, with a bearer token',
    gets: 'POST 201',
    send: (base) => {
      const headers = { Authorization: 'Bearer x' };
      return fetch(`${base}/pet`, { method: 'POST', headers, body: new Blob(['{}']) }).then(({ status }) => status);
    },
  },
  {
    name: 'a Custom without a body, with a bearer token',
    gets: 'POST 200',
    send: (base) => fetch(`${base}/pet/count`, { method: 'POST', headers: { Authorization: 'Bearer x' } }).then(({ status }) => status),
  },
  {
    name: 'an Update without a type',
    gets: 'PUT 204',
    send: (base) => fetch(`${base}/pet/1`, { method: 'PUT', body: new Blob(['{}']) }).then(({ status }) => status),
  },
  {
    name: 'a Delete',
    gets: 'DELETE 204',
    send: (base) => fetch(`${base}/pet/1`, { method: 'DELETE' }).then(({ status }) => status),
  },
];
