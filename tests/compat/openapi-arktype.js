/**
 * ArkType has no JSON Schema for dates, and writes `{}` for them without an error. This configures their schemas, before ArkType is
 * loaded.
 */
import { configure } from 'arktype/config';

configure({ toJsonSchema: { fallback: { date: () => ({ type: 'string', format: 'date-time' }) } } });
