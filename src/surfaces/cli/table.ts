/** Every command, in the order in which help shows it. */

import { events, log } from "./commands/events.ts";
import { exportCommand } from "./commands/export.ts";
import { glance, status } from "./commands/glance.ts";
import { guard } from "./commands/guard.ts";
import { claim, name, whoami } from "./commands/identity.ts";
import { ask } from "./commands/mail/ask.ts";
import { dlqList, dlqPurge, dlqRequeue, dlqShow } from "./commands/mail/dlq.ts";
import { mailbox } from "./commands/mail/mailbox.ts";
import { msgRecv } from "./commands/mail/msg-recv.ts";
import { msgSend, msgTrace, reply } from "./commands/mail/msg-send.ts";
import { notes, notesAdd, notesList, notesResolve } from "./commands/notes.ts";
import { prune } from "./commands/prune.ts";
import { close, join, kick, leave, list, pause, policy, resume, state } from "./commands/rooms.ts";
import { card, peers, read } from "./commands/sessions.ts";
import { doctor } from "./commands/setup/doctor.ts";
import { init } from "./commands/setup/init.ts";
import { install, uninstall } from "./commands/setup/install.ts";
import { notify } from "./commands/setup/notify.ts";
import { prompt } from "./commands/setup/prompt.ts";
import { assign, give, heartbeat, listen, pass, release, request, take, tryOnce, wait } from "./commands/stick.ts";
import { turnDiff, turnRestore, turnShow, turns } from "./commands/turns.ts";
import { why } from "./commands/why.ts";
import type { CommandGroup } from "./help.ts";

export { glance as bare };

export const GROUPS: readonly CommandGroup[] = [
  { title: "The stick", commands: [wait, tryOnce, release, pass, assign, give, take, request, heartbeat, listen] },
  {
    title: "Messages",
    commands: [msgSend, msgRecv, msgTrace, ask, reply, dlqList, dlqShow, dlqRequeue, dlqPurge, mailbox],
  },
  { title: "Rooms", commands: [list, join, leave, state, why, kick, pause, resume, close, policy, guard] },
  {
    title: "What was said and done",
    commands: [log, events, turns, turnShow, turnDiff, turnRestore, notesAdd, notesList, notesResolve, notes],
  },
  { title: "Who else is here", commands: [peers, read, card] },
  { title: "Who you are", commands: [whoami, name, claim] },
  { title: "Setting up", commands: [install, uninstall, init, status, prompt, notify, doctor] },
  { title: "Data", commands: [exportCommand, prune] },
];
