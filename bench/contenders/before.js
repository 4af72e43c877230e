/** The build of the commit before, by `build-before.js`. */
import * as build from '../before/dist/index.js';
import { serveWith } from './library-pets.js';

export const { open } = serveWith(build);
