/** Which store to open. A PostgreSQL address may hold a password, so it must never be shown. */
export type StoreChoice =
  | { readonly kind: "sqlite" }
  | { readonly kind: "memory" }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** The settings file that holds its password and that others may read. */
      readonly exposedIn?: string;
    };

/** Null when the text names no store. */
export function parseStoreChoice(text: string): StoreChoice | null {
  if (text === "" || text === "sqlite") return { kind: "sqlite" };
  if (text === "memory:") return { kind: "memory" };
  return /^postgres(ql)?:\/\//.test(text) ? { kind: "postgres", url: text } : null;
}
