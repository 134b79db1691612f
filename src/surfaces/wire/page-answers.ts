/** The answers of the operations that the page calls, by name. Types alone: the page carries none of the code behind them. */
import type { OperationName } from "../../core/operation-names.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { ackMessage } from "../../mail/acknowledge.ts";
import type { askPeer } from "../../mail/ask-peer.ts";
import type { deadLetters } from "../../mail/dead-letters.ts";
import type { messageStatus } from "../../mail/message-status.ts";
import type { readMyMessages } from "../../mail/read-my-messages.ts";
import type { replyToMessage } from "../../mail/reply-to-message.ts";
import type { sendMessage } from "../../mail/send-message.ts";
import type { readSession } from "../../peers/read-session.ts";
import type { getRoomEvents } from "../../room/events.ts";
import type { joinPath } from "../../room/join-path.ts";
import type { kickMember } from "../../room/kick-member.ts";
import type { addNote, listNotes, resolveNote } from "../../room/notes.ts";
import type { giveStick } from "../../stick/give-stick.ts";
import type { pauseRoom, resumeRoom } from "../../stick/pause-room.ts";
import type { requestStick } from "../../stick/request-stick.ts";
import type { takeoverStick } from "../../stick/takeover-stick.ts";
import type { waitForTurn } from "../../stick/wait-with-mail.ts";
import type { diffTurn } from "../../turns/diff-turn.ts";
import type { listTurns } from "../../turns/list-turns.ts";
import type { showTurn } from "../../turns/show-turn.ts";

/** What an operation answers if it does not refuse. */
type AnswerOf<O extends { run(...given: never[]): unknown }> = Exclude<Awaited<ReturnType<O["run"]>>, Refusal>;

export interface PageAnswers {
  readonly ack_message: AnswerOf<typeof ackMessage>;
  readonly add_note: AnswerOf<typeof addNote>;
  readonly ask_peer: AnswerOf<typeof askPeer>;
  readonly dead_letters: AnswerOf<typeof deadLetters>;
  readonly diff_turn: AnswerOf<typeof diffTurn>;
  readonly get_room_events: AnswerOf<typeof getRoomEvents>;
  readonly give_stick: AnswerOf<typeof giveStick>;
  readonly join_path: AnswerOf<typeof joinPath>;
  readonly kick_member: AnswerOf<typeof kickMember>;
  readonly list_notes: AnswerOf<typeof listNotes>;
  readonly list_turns: AnswerOf<typeof listTurns>;
  readonly message_status: AnswerOf<typeof messageStatus>;
  readonly pause_room: AnswerOf<typeof pauseRoom>;
  readonly read_my_messages: AnswerOf<typeof readMyMessages>;
  readonly read_session: AnswerOf<typeof readSession>;
  readonly reply_to_message: AnswerOf<typeof replyToMessage>;
  readonly request_stick: AnswerOf<typeof requestStick>;
  readonly resolve_note: AnswerOf<typeof resolveNote>;
  readonly resume_room: AnswerOf<typeof resumeRoom>;
  readonly send_message: AnswerOf<typeof sendMessage>;
  readonly show_turn: AnswerOf<typeof showTurn>;
  readonly takeover_stick: AnswerOf<typeof takeoverStick>;
  readonly wait_for_turn: AnswerOf<typeof waitForTurn>;
}

export type PageOperation = keyof PageAnswers & OperationName;

/** One of the list that `dead_letters` answers. */
export type DeadLetterAnswer = Extract<PageAnswers["dead_letters"], { deadLetters: unknown }>["deadLetters"][number];
