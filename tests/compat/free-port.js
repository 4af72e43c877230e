export { findFreePort } from '../../build/tests/support/free-port.js';
