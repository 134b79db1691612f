/** One agent of the benchmarks: a process with the program in it that does what it is told and marks the time. */
import { openService } from "../../src/app/open-talking-stick.ts";
import { accepted } from "../../test/support/sqlite-world.ts";
import { idle } from "./agent/idle.ts";
import {
  answerQuestions,
  askQuestions,
  receiveMessages,
  sendMessages,
  sendNumbered,
  takeOneByOne,
  timeSends,
} from "./agent/mail.ts";
import type { Member } from "./agent/member.ts";
import { mixed } from "./agent/mixed.ts";
import { addNotes, hearNotes, resolveNotes } from "./agent/notes.ts";
import { teamWork } from "./agent/team-work.ts";
import { contend, hold, takeTurns } from "./agent/turns.ts";
import { serve } from "./serve.ts";

let me: Member;

/** Binds what a member can do to the one that this process is. */
function asMe<Order, Answer>(deed: (member: Member, order: Order) => Promise<Answer>) {
  return (order: Order): Promise<Answer> => deed(me, order);
}

const agent = {
  async join({ agentId, tree }: { readonly agentId: string; readonly tree: string }): Promise<string> {
    const stick = accepted(await openService({ agentId }));
    const { roomId, cursorEventSeq } = accepted(await stick.joinPath({ contextPath: tree }));
    me = { stick, roomId, cursor: cursorEventSeq };
    return roomId;
  },
  addNotes: asMe(addNotes),
  resolveNotes: asMe(resolveNotes),
  hearNotes: asMe(hearNotes),
  hold: asMe(hold),
  takeTurns: asMe(takeTurns),
  contend: asMe(contend),
  idle: asMe(idle),
  mixed,
  sendMessages: asMe(sendMessages),
  sendNumbered: asMe(sendNumbered),
  receiveMessages: asMe(receiveMessages),
  askQuestions: asMe(askQuestions),
  answerQuestions: asMe(answerQuestions),
  teamWork: asMe(teamWork),
  takeOneByOne: asMe(takeOneByOne),
  timeSends: asMe(timeSends),
};

export type Agent = typeof agent;

serve(agent);
