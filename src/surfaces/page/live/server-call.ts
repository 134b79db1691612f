/** Calls to the server of this page. The secret of its run stays in this tab, in no cookie and in no address. */
import type { PageAnswers, PageOperation } from "../../wire/page-answers.ts";
import { type PlainInput, RefusedError, UnreachableError } from "../source.ts";

/** The server does not know the secret: it is that of another run. */
export class OldSecretError extends Error {
  override readonly name = "OldSecretError";
}

const KEPT = "talking-stick-secret";
const FRAGMENT = "#secret=";

/** From the address, out of which it is taken at once, or from before a reload. Null: this tab was never given one. */
export function takeSecret(): string | null {
  const { hash, pathname } = location;
  if (hash.startsWith(FRAGMENT)) {
    sessionStorage.setItem(KEPT, hash.slice(FRAGMENT.length));
    history.replaceState(null, "", `${pathname}#/`);
  }
  return sessionStorage.getItem(KEPT);
}

/** The address of another run that is put into this tab changes no more than its fragment, so the page must load again. */
export function loadAgainForSecret(): void {
  addEventListener("hashchange", () => {
    if (location.hash.startsWith(FRAGMENT)) location.reload();
  });
}

export function post(path: string, secret: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    ...(signal && { signal }),
  });
}

interface SaidNo {
  readonly error: string;
  readonly message: string;
  readonly next: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export async function callOperation<Name extends PageOperation>(
  name: Name,
  input: PlainInput,
  secret: string,
): Promise<PageAnswers[Name]> {
  let response: Response;
  let answer: unknown;
  try {
    response = await post(`/api/${name}`, secret, input);
    answer = await response.json().catch(() => null);
  } catch {
    throw new UnreachableError("tt ui does not answer. Nothing is known of what was asked.");
  }
  if (response.status === 403) throw new OldSecretError("This page belongs to another run of tt ui.");
  if (response.ok && answer !== null) return answer as PageAnswers[Name];
  const { error = "failed", message, next = "", facts = {} } = (answer ?? {}) as Partial<SaidNo>;
  throw new RefusedError({
    code: error,
    message: message ?? `tt ui answered with an error (${response.status}).`,
    next,
    facts,
  });
}
