/** Each bundle holds its own copy of this class, so a breach is known by this mark and not by its constructor. */
const MARK = Symbol.for("talking-stick.invariant");

/** A broken invariant is a bug in this program: it is reported, never caught to go on. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
  readonly [MARK] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new InvariantError(why);
}

/** Closes a switch over a union: a new member of the union fails the type check here. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
