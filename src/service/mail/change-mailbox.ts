/** The one way to change the caller's own mailbox. Evidence about its waiting asks is gathered before, if any matter. */
import { type Caller, type Evidence, type Given, NO_EVIDENCE } from "../../domain/given.ts";
import { type Ask, isWaitedFor } from "../../domain/mail/ask.ts";
import { beginMail } from "../../domain/mail/mail-change.ts";
import type { MailboxWindow, MailDecision } from "../../domain/mail/take.ts";
import { processKey } from "../../domain/process.ts";
import type { LoadedMailbox, MailWindow } from "../../ports/mail-store.ts";
import type { Deps } from "../deps.ts";
import { givenFor, withVerdicts } from "../evidence.ts";

export type DecideMail<Answer> = (window: MailboxWindow, given: Given, loaded: LoadedMailbox) => MailDecision<Answer>;

/** Nothing was decided: whether these asks still wait has to be found out first, outside of the transaction. */
interface Undecided {
  readonly doubtful: readonly Ask[];
}

export async function changeMailbox<Answer>(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
  decide: DecideMail<Answer>,
): Promise<Answer> {
  const { answer: first } = await deps.store.changeMailbox(
    caller.agentId,
    look,
    (loaded): MailDecision<Answer | Undecided> => {
      const { window } = loaded;
      const given = givenInMailbox(deps, caller, loaded, ownLife(deps, window));
      const doubtful = window.asks.filter((ask) => isInDoubt(ask, given));
      if (doubtful.length === 0) return decide(window, given, loaded);
      return { mail: beginMail(new Map([[window.box.agentId, window.box]])), answer: { doubtful } };
    },
  );
  if (!isUndecided(first)) return first;
  const processes = first.doubtful.map(({ caller: process }) => process);
  const known = withVerdicts(deps, NO_EVIDENCE, processes);
  const { answer } = await deps.store.changeMailbox(caller.agentId, look, (loaded) =>
    decide(loaded.window, givenInMailbox(deps, caller, loaded, known), loaded),
  );
  return answer;
}

/** Under the mailbox's present name, which may not be the one the call began with. */
function givenInMailbox(deps: Deps, caller: Caller, { window, moment }: LoadedMailbox, evidence: Evidence): Given {
  return givenFor(deps, { ...caller, agentId: window.box.agentId }, moment, evidence);
}

/** Whatever this very process asks, it is alive; nothing has to be looked up for that. */
function ownLife({ probe }: Deps, { asks }: MailboxWindow): Evidence {
  const self = asks.length === 0 ? null : probe.self();
  return self === null ? NO_EVIDENCE : { ...NO_EVIDENCE, verdicts: new Map([[processKey(self), "alive"]]) };
}

function isInDoubt(ask: Ask, given: Given): boolean {
  return isWaitedFor(ask, given) && ask.caller !== null && !given.evidence.verdicts.has(processKey(ask.caller));
}

function isUndecided(answer: unknown): answer is Undecided {
  return typeof answer === "object" && answer !== null && "doubtful" in answer;
}
