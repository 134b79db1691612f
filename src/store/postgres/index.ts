/** What the lazily loaded bundle offers. */
export { openPostgres } from "./open.ts";
