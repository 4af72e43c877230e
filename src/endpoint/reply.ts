/** Placeholder while `reply` is built elsewhere. */
export interface Reply<T, Status extends number = number> { readonly '~reply': T; readonly '~status': Status }
