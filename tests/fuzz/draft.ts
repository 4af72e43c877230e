/** A request before it is written as bytes. */
export interface Draft {
  method: string;
  target: string;
  version: string;
  host: string;
  headers: string[];
  body: string | undefined;
  chunked: boolean;
}
