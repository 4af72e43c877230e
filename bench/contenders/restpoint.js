/** The file that a user of the package imports. */
import * as build from '../../dist/index.js';
import { serveWith } from './library-pets.js';

export const { open } = serveWith(build);
