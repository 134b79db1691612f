/**
 * Keeps the files that shell prompts and status lines read, so that a prompt starts no program. The process that changes
 * a room or the person's mail keeps them. While nothing changes, nobody does.
 */
import type { AgentId } from "../core/ids.ts";
import type { MailChange } from "../core/mail-records.ts";
import type { AfterCommit, AfterMail, DoneChange } from "../engine/around-commit.ts";
import type { Deps } from "../engine/deps.ts";
import { mailAtAGlance } from "../mail/mail-watch.ts";
import type { Room } from "../room/rules/room.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import { mailWords, stickIn, stickWords, tellsOfQuestions } from "./rules/prompt-line.ts";

export interface PromptFiles {
  /** Null removes the line of a room. True if the file differed. */
  keepRoom(path: string, words: string | null): boolean;
  keepPerson(words: string): boolean;
  /** What the file says now. */
  person(): string;
  /** When the person's line was last found right or written; null if there is none. */
  personComparedAt(): number | null;
  confirmPerson(wallMs: number): void;
}

/** The person who works on this machine. */
export interface LocalPerson {
  readonly id: () => AgentId;
  /** Asks the system for the user's name only if it has to, which may take a while. */
  readonly is: (agentId: AgentId) => boolean;
}

export interface PromptKeeping {
  readonly files: PromptFiles;
  readonly me: LocalPerson;
  /** Whether other machines use the store: then mail comes without a process here that could tell. */
  readonly shared: boolean;
}

const NAME = "the line for prompts";

export function promptAfterCommit(keeping: PromptKeeping): AfterCommit {
  return { name: NAME, run: (deps, done) => keepAfter(deps, keeping, done) };
}

export function promptAfterMail(keeping: PromptKeeping): AfterMail {
  return { name: NAME, run: (deps, mail) => (concerns(mail, keeping.me) ? keepPerson(deps, keeping) : null) };
}

function keepAfter(deps: Deps, keeping: PromptKeeping, done: DoneChange): Promise<unknown> | null {
  const { before, room, events, mail } = done;
  const { me } = keeping;
  // A wait that is registered, or a lease that is renewed, says nothing new.
  if (events.length === 0 && wordsFor(before, me) === wordsFor(room, me)) return null;
  const isWorthALook = concerns(mail, me) || mayBeWrong(deps, keeping);
  return keepRoom(deps, keeping, room).then(() => (isWorthALook ? keepPerson(deps, keeping) : null));
}

/** On a store of several machines a look takes long, so that commands share one in this time. */
const COMPARED_EVERY_MS = 30_000;

/** Whether the person's line may have become wrong without a process here that could tell: an asker has died, too. */
function mayBeWrong({ clock }: Deps, { files, shared }: PromptKeeping): boolean {
  if (!shared) return tellsOfQuestions(files.person());
  const at = files.personComparedAt();
  return at === null || Math.abs(clock.now().wallMs - at) >= COMPARED_EVERY_MS;
}

/** So often a line is compared with the store again, if other processes change it meanwhile. */
const MOST_LOOKS = 5;

/**
 * Two processes may write in another order than they committed. So the writer of a line compares it with the store
 * afterwards, and the last one to write finds what is true then.
 */
async function keepRoom({ store, host }: Deps, { files, me }: PromptKeeping, committed: Room): Promise<void> {
  if (committed.host !== host) return;
  let words = wordsFor(committed, me);
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    if (!files.keepRoom(committed.path, words)) return;
    const room = (await store.readRoom(committed.id))?.room ?? null;
    const written = words;
    words = room && wordsFor(room, me);
    // Another process that has written a line since then looks, too.
    if (words === written) return;
  }
}

async function keepPerson(deps: Deps, { files, me, shared }: PromptKeeping): Promise<void> {
  const person = { ...OBSERVER, agentId: me.id() };
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const { unread, asked } = await mailAtAGlance(deps, person);
    const askers = asked.map(({ from, fromHandle }) => fromHandle ?? from);
    if (files.keepPerson(mailWords(unread, askers))) continue;
    if (shared) files.confirmPerson(deps.clock.now().wallMs);
    return;
  }
}

/** A closed room has no line, so that the room around it is shown instead. */
function wordsFor(room: Room, me: LocalPerson): string | null {
  return room.state.status === "closed" ? null : stickWords(stickIn(room, me.is));
}

function concerns(mail: MailChange | undefined, me: LocalPerson): boolean {
  if (!mail) return false;
  return [...mail.boxes.keys()].some(me.is) || [...mail.asks.values()].some(({ peer }) => me.is(peer));
}
