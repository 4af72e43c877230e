/** `openTelemetry` takes the module `@opentelemetry/api` as it is. Compiling this file is the test. */
import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { openTelemetry } from '../../dist/observers/index.js';

openTelemetry(api)();
openTelemetry({ ...api, metrics: undefined })();
openTelemetry(api, { storage: new AsyncLocalStorage<object>() })();
// @ts-expect-error the API has to make spans
openTelemetry({ context: api.context });
