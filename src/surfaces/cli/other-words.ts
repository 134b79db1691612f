/** Words of other tools for what a command of ours does. They are tried when no command has the name that was typed. */
export interface OtherWord {
  readonly word: string;
  /** The command of ours. */
  readonly command: string;
  /** The meaning is the same: the command runs. Otherwise it is only named. */
  readonly isSame?: true;
  /** Why the command is the right one, where the words alone do not show it. */
  readonly why?: string;
}

export const OTHER_WORDS: readonly OtherWord[] = [
  { word: "takeover", command: "take", isSame: true },
  { word: "acquire", command: "wait" },
  { word: "lock", command: "wait" },
  { word: "unlock", command: "release" },
  { word: "send", command: "msg send" },
  { word: "tell", command: "msg send" },
  { word: "broadcast", command: "msg send", why: "Send it to room." },
  { word: "inbox", command: "msg recv" },
  { word: "mail", command: "msg recv" },
  { word: "messages", command: "msg recv" },
  { word: "recv", command: "msg recv" },
  { word: "ack", command: "msg recv", why: "Reading mail acknowledges it." },
  { word: "note", command: "notes add" },
  { word: "log", command: "events" },
  { word: "history", command: "events" },
  { word: "rooms", command: "list" },
  { word: "members", command: "state" },
  { word: "who", command: "peers" },
  { word: "agents", command: "peers" },
  { word: "sessions", command: "peers" },
  { word: "id", command: "whoami" },
  { word: "rename", command: "name" },
  { word: "health", command: "doctor", isSame: true },
  { word: "setup", command: "install" },
  { word: "install-skill", command: "install", why: "One command sets up skill, hooks and tools." },
  { word: "install-hook", command: "install", why: "One command sets up skill, hooks and tools." },
];
