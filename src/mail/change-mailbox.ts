/** The one way to change the caller's own mailbox. Evidence about its waiting asks is gathered before, if any matter. */

import type { Ask, StoredMailbox } from "../core/mail-records.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import type { Instant } from "../core/time.ts";
import { afterMail } from "../engine/around-commit.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, withVerdicts } from "../engine/evidence.ts";
import type { LoadedMailbox, MailOptions, MailWindow } from "../engine/ports/mail-store.ts";
import { verdictOf } from "../session/rules/aliveness.ts";
import { type Caller, type Evidence, type Given, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { isWaitedFor } from "./rules/ask.ts";
import { beginMail, withBox } from "./rules/mail-change.ts";
import type { MessageSent } from "./rules/message.ts";
import type { MailboxWindow, MailDecision } from "./rules/take.ts";
import { traceDeliveries } from "./trace-deliveries.ts";

export type DecideMail<Answer> = (window: MailboxWindow, given: Given, loaded: LoadedMailbox) => MailDecision<Answer>;

export async function changeMailbox<Answer>(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
  decide: DecideMail<Answer>,
  options: MailOptions = {},
): Promise<Answer> {
  return (await changedMailbox(deps, caller, look, decide, options)).answer;
}

const HEAD: MailWindow = { kind: "messages", ids: [] };

/** Changes what the mailbox says of its owner and no mail: nothing of that need survive a loss of power. */
export async function changeHead(
  deps: Deps,
  caller: Caller,
  change: (box: StoredMailbox, now: Instant) => StoredMailbox,
): Promise<void> {
  const decide: DecideMail<true> = ({ box }, { moment }) => {
    const mail = beginMail(new Map([[box.agentId, box]]));
    return { mail: withBox(mail, change(box, moment.instant)), answer: true };
  };
  await changeMailbox(deps, caller, HEAD, decide, { waitsForDisk: "nothing" });
}

/** Remembers that the owner was told of all its mail up to this number. */
export async function announce(deps: Deps, caller: Caller, newestSeq: number): Promise<void> {
  await changeHead(deps, caller, (box) => (newestSeq <= box.announcedSeq ? box : { ...box, announcedSeq: newestSeq }));
}

export interface TakenFrom<Answer> {
  readonly answer: Answer;
  /** What was said in the deliveries that were taken; undefined where the store has not read it along. */
  readonly messages: readonly MessageSent[] | undefined;
}

/** For one who hands messages out. A message that was only taken comes again, so the disk need not be waited for. */
export function takeFromMailbox<Answer>(deps: Deps, caller: Caller, look: MailWindow, decide: DecideMail<Answer>) {
  return changedMailbox(deps, caller, look, decide, { waitsForDisk: "ends", withMessages: true });
}

async function changedMailbox<Answer>(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
  decide: DecideMail<Answer>,
  options: MailOptions,
): Promise<TakenFrom<Answer>> {
  const own = ownEvidence(deps);
  const once = <Result>(evidence: Evidence, decideOnce: DecideMail<Result>) =>
    changeOnce(deps, caller, { look, decide: decideOnce, options, evidence });
  const first = await once<Answer | Undecided>(own, (window, given, loaded) => {
    const unproven = window.asks.filter((ask) => isWaitedFor(ask, given) && isUnproven(ask, given)).map(processOf);
    if (unproven.length === 0) return decide(window, given, loaded);
    return { mail: beginMail(new Map([[window.box.agentId, window.box]])), answer: new Undecided(unproven) };
  });
  const { answer } = first;
  if (!(answer instanceof Undecided)) return { ...first, answer };
  return once(withVerdicts(deps, own, answer.askers), decide);
}

/** An ask whose process is gone holds nothing back; that has to be found out before anything is taken. */
class Undecided {
  readonly askers: readonly (ProcessRef | null)[];

  constructor(askers: readonly (ProcessRef | null)[]) {
    this.askers = askers;
  }
}

/** The caller is alive: it is calling. */
function ownEvidence({ probe }: Deps): Evidence {
  return { ...NO_EVIDENCE, verdicts: new Map([[processKey(probe.self()), "alive"]]) };
}

function isUnproven({ caller }: Ask, given: Given): boolean {
  return caller !== null && verdictOf(caller, given) === "unknown";
}

function processOf({ caller }: Ask): ProcessRef | null {
  return caller;
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
): Promise<TakenFrom<Answer>> {
  const decideFor = (loaded: LoadedMailbox) => {
    const { window, moment } = loaded;
    return decide(window, givenFor(deps, { ...caller, agentId: window.box.agentId }, moment, evidence), loaded);
  };
  const { mail, answer, messages } = await deps.store.changeMailbox(caller.agentId, look, decideFor, options);
  traceDeliveries(deps, mail);
  await afterMail(deps, mail);
  return { answer, messages };
}
