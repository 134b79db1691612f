/** Every command, in the order in which help shows it. */
import { ask } from "./commands/ask.ts";
import { dlqList, dlqPurge, dlqRequeue, dlqShow } from "./commands/dlq.ts";
import { doctor } from "./commands/doctor.ts";
import { events } from "./commands/events.ts";
import { exportCommand } from "./commands/export.ts";
import { glance, prompt, status } from "./commands/glance.ts";
import { guard } from "./commands/guard.ts";
import { claim, name, whoami } from "./commands/identity.ts";
import { init } from "./commands/init.ts";
import { install, uninstall } from "./commands/install.ts";
import { mailbox } from "./commands/mailbox.ts";
import { msgRecv } from "./commands/msg-recv.ts";
import { msgSend, msgTrace, reply } from "./commands/msg-send.ts";
import { notes, notesAdd, notesList, notesResolve } from "./commands/notes.ts";
import { prune } from "./commands/prune.ts";
import { close, join, kick, leave, list, policy, state } from "./commands/rooms.ts";
import { card, peers, read } from "./commands/sessions.ts";
import { assign, heartbeat, listen, pass, release, request, take, tryOnce, wait } from "./commands/stick.ts";
import { turnDiff, turnRestore, turnShow, turns } from "./commands/turns.ts";
import type { CommandGroup } from "./help.ts";

export { glance as bare };

export const GROUPS: readonly CommandGroup[] = [
  { title: "The stick", commands: [wait, tryOnce, release, pass, assign, take, request, heartbeat, listen] },
  {
    title: "Messages",
    commands: [msgSend, msgRecv, msgTrace, ask, reply, dlqList, dlqShow, dlqRequeue, dlqPurge, mailbox],
  },
  { title: "Rooms", commands: [list, join, leave, state, kick, close, policy, guard] },
  {
    title: "What was said and done",
    commands: [events, turns, turnShow, turnDiff, turnRestore, notesAdd, notesList, notesResolve, notes],
  },
  { title: "Who else is here", commands: [peers, read, card] },
  { title: "Who you are", commands: [whoami, name, claim] },
  { title: "Setting up", commands: [install, uninstall, init, status, prompt, doctor] },
  { title: "Data", commands: [exportCommand, prune] },
];
