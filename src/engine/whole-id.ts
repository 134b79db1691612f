/** Callers may give the beginning of an id. It must be long enough, and the only one that begins so. */
import type { IdKind, RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "./deps.ts";

/** What no id begins with is returned as it was given: the caller is then told that there is none. */
export async function wholeId<Id extends string>(
  { store }: Pick<Deps, "store">,
  kind: IdKind,
  given: Id,
  roomId?: RoomId,
): Promise<Id | Refusal<"ambiguous_id">> {
  if (!mayBePrefix(kind, given)) return given;
  const query = kind === "note" ? roomId && { kind, roomId } : { kind };
  const found = query ? await store.readIds(query, given, LIMITS.idCandidates + 1) : [];
  const [only = given, ...others] = found as readonly Id[];
  if (others.length === 0 || only === given) return only;
  const candidates = found.slice(0, LIMITS.idCandidates);
  return refuse(
    "ambiguous_id",
    `${found.length > candidates.length ? `More than ${candidates.length}` : found.length} ${kind}s have an id that begins with ${JSON.stringify(given)}.`,
    "Give more characters of the id, or one of the candidates.",
    { candidates },
  );
}

export function mayBePrefix(kind: IdKind, { length }: string): boolean {
  return length >= LIMITS.idPrefixCharacters && length < WHOLE[kind];
}

/** How long a whole id is at least. A message's ends with its place in its commit. */
const WHOLE: Readonly<Record<IdKind, number>> = {
  room: LIMITS.newIdCharacters,
  note: LIMITS.newIdCharacters,
  message: LIMITS.newIdCharacters + "-1".length,
};
