/** The one way to change the caller's own mailbox. Evidence about its waiting asks is gathered before, if any matter. */
import { type Caller, type Evidence, type Given, NO_EVIDENCE } from "../../domain/given.ts";
import { type Ask, isWaitedFor } from "../../domain/mail/ask.ts";
import type { MailboxWindow, MailDecision } from "../../domain/mail/take.ts";
import type { LoadedMailbox, MailOptions, MailWindow } from "../../ports/mail-store.ts";
import type { Deps } from "../deps.ts";
import { givenFor, withVerdicts } from "../evidence.ts";

export type DecideMail<Answer> = (window: MailboxWindow, given: Given, loaded: LoadedMailbox) => MailDecision<Answer>;

interface ChangedMailbox<Answer> {
  readonly answer: Answer;
  readonly given: Given;
  /** The asks that held something back. */
  readonly asks: readonly Ask[];
}

export async function changeMailbox<Answer>(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
  decide: DecideMail<Answer>,
  options: MailOptions = {},
): Promise<Answer> {
  const once = (evidence: Evidence) => changeOnce(deps, caller, { look, decide, options, evidence });
  const first = await once(NO_EVIDENCE);
  const waiting = first.asks.filter((ask) => isWaitedFor(ask, first.given));
  if (waiting.length === 0) return first.answer;
  // An ask whose process is gone holds nothing back, but that has to be found out first.
  const evidence = withVerdicts(
    deps,
    NO_EVIDENCE,
    waiting.map(({ caller: process }) => process),
  );
  const given = { ...first.given, evidence };
  if (waiting.every((ask) => isWaitedFor(ask, given))) return first.answer;
  return (await once(evidence)).answer;
}

interface OneChange<Answer> {
  readonly look: MailWindow;
  readonly decide: DecideMail<Answer>;
  readonly options: MailOptions;
  readonly evidence: Evidence;
}

async function changeOnce<Answer>(
  deps: Deps,
  caller: Caller,
  { look, decide, options, evidence }: OneChange<Answer>,
): Promise<ChangedMailbox<Answer>> {
  let seen: { given: Given; asks: readonly Ask[] } | null = null;
  const decideFor = (loaded: LoadedMailbox) => {
    const { window, moment } = loaded;
    const given = givenFor(deps, { ...caller, agentId: window.box.agentId }, moment, evidence);
    seen = { given, asks: window.asks };
    return decide(window, given, loaded);
  };
  const { answer } = await deps.store.changeMailbox(caller.agentId, look, decideFor, options);
  const { given, asks } = seen as unknown as { given: Given; asks: readonly Ask[] };
  return { answer, given, asks };
}
