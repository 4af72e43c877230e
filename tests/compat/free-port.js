export { freePort } from '../../build/tests/support/free-port.js';
