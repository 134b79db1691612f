/** Environment variables by name, as given to a process. */
export type Environment = Readonly<Record<string, string | undefined>>;
