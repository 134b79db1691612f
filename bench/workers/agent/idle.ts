/** Waiting for what does not come. */
import { accepted } from "../../../test/support/sqlite-world.ts";
import type { Member } from "./member.ts";

const WAIT_MS = 3_600_000;

export type IdleKind = "events" | "turn";

/** Answers once the wait is under way, and lets it go on. */
export async function idle({ stick, roomId }: Member, { kind }: { readonly kind: IdleKind }): Promise<void> {
  if (kind === "events") {
    neverOver(stick.waitForEvents({ roomId, maxWaitMs: WAIT_MS }));
    return;
  }
  await new Promise<void>((onLook) => {
    neverOver(stick.waitForTurn({ roomId, maxWaitMs: WAIT_MS, onLook: () => onLook() }));
  });
}

function neverOver(wait: Promise<object>): void {
  wait.then(
    (answer) => fail(new Error(`the wait is over: ${JSON.stringify(accepted(answer))}`)),
    (error: unknown) => fail(error),
  );
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
