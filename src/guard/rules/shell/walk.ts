/** Walks the syntax tree of a line, judges every command in it, and follows `cd` and plain assignments. */
import {
  type AndOr,
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirect,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { judgeBuiltin, namesIn, setsVariables } from "./builtins.ts";
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { judgeCommand } from "./judge.ts";
import { type Around, either, isSink, type ShellPlace, START, targetsAt, within } from "./place.ts";
import { isHarmlessFor, isPowerful } from "./variables.ts";
import { type Argument, argumentOf, literal } from "./words.ts";

/** Scripts in scripts, and conditions in loops in conditions. */
const MOST_SCRIPTS = 6;
const MOST_BLOCKS = 24;

/** The line is nested too deeply to be judged. */
export class TooDeep extends Error {}

interface Walk {
  readonly findings: ShellFinding[];
  /** Functions of the line. Their bodies are judged where they stand. */
  readonly functions: Set<string>;
  readonly scripts: number;
  blocks: number;
  place: ShellPlace;
  variables: Map<string, string>;
  /** Whether standard output goes into a pipe. */
  isPiped: boolean;
}

export function judgeScript(text: string, place: ShellPlace = START, scripts = 0): readonly ShellFinding[] {
  if (scripts > MOST_SCRIPTS) throw new TooDeep();
  const walk: Walk = {
    findings: [],
    functions: new Set(),
    scripts,
    blocks: 0,
    place,
    variables: new Map(),
    isPiped: false,
  };
  visitScript(walk, parse(text));
  return walk.findings;
}

function visitScript(walk: Walk, script: ParsedScript | undefined): void {
  // What the parser understood is judged, too: a write in it is a write.
  if (script === undefined || (script.errors?.length ?? 0) > 0) walk.findings.push(...unknown("syntax"));
  script?.commands.forEach((statement) => visit(walk, statement));
}

function visitChildren(walk: Walk, node: SyntaxNode): void {
  forEachChild(node, (child) => visit(walk, child));
}

/** Runs in a copy of the shell: its cd and its variables end with it. */
function inSubshell(walk: Walk, run: (inner: Walk) => void): void {
  run({ ...walk, variables: new Map(walk.variables), isPiped: false });
}

/** What to do with each kind of node; its children are visited where nothing is said. */
type ByKind<Result> = {
  readonly [Kind in SyntaxNode["type"]]?: (walk: Walk, node: Extract<SyntaxNode, { readonly type: Kind }>) => Result;
};

const VISITS: ByKind<void> = {
  Script: visitScript,
  Statement: (walk, { background, command }) =>
    background ? inSubshell(walk, (inner) => visit(inner, command)) : visit(walk, command),
  AndOr: visitAndOr,
  Pipeline: visitPipeline,
  Command: visitCommand,
  Redirect: visitRedirect,
  Subshell: (walk, { body }) => inSubshell(walk, (inner) => visit(inner, body)),
  CommandExpansion: visitSubstitution,
  ProcessSubstitution: visitSubstitution,
  ArithmeticCommandExpansion: visitSubstitution,
  If: visitBlock,
  Case: visitBlock,
  For: visitBlock,
  While: visitBlock,
  Select: visitBlock,
  ArithmeticFor: visitBlock,
  Function: visitBlock,
  Coproc: visitBlock,
};

/** Syntax that another shell takes for something else, or that runs what a variable holds. */
const DOUBTS: ByKind<boolean> = {
  ExtendedGlob: () => true,
  AnsiCQuoted: (_, { text }) => text.includes("\\'"),
  // For a plain sh this is a subshell with a redirection.
  ArithmeticCommand: (_, { body }) => body.includes(">"),
  TestBinary: (_, { operator, left, right }) => operator === ">" || hasIndexedCommand(left) || hasIndexedCommand(right),
  TestUnary: (_, { operand }) => hasIndexedCommand(operand),
  ParameterExpansion: (_, { operation, parameter }) => {
    if (operation?.type === "Unknown" || operation?.type === "Transform") return true;
    return operation?.type === "Default" && operation.operator.endsWith("=") && isPowerful(parameter, null);
  },
};

function visit(walk: Walk, node: SyntaxNode): void {
  // The table has for each kind a function that takes nodes of that kind.
  const visitor = VISITS[node.type] as ((walk: Walk, node: SyntaxNode) => void) | undefined;
  if (visitor) return visitor(walk, node);
  const isDoubtful = DOUBTS[node.type] as ((walk: Walk, node: SyntaxNode) => boolean) | undefined;
  if (isDoubtful?.(walk, node)) walk.findings.push(...unknown("text" in node ? node.text : node.type));
  visitChildren(walk, node);
}

function visitSubstitution(walk: Walk, { script }: { readonly script: ParsedScript | undefined }): void {
  inSubshell(walk, (inner) => visitScript(inner, script));
}

function hasIndexedCommand({ value }: Word): boolean {
  return /\[[^]*(?:\$\(|`)/.test(value);
}

/** Its parts may run or not, once or more often, so what they set and where they go is not known, during and after. */
function visitBlock(walk: Walk, node: SyntaxNode): void {
  walk.blocks += 1;
  if (walk.blocks > MOST_BLOCKS) throw new TooDeep();
  const settled = settledBy(walk, node);
  const before = walk.place;
  const forget = () => {
    for (const name of settled.names) walk.variables.delete(name);
    if (settled.moves) walk.place = { directories: null };
  };
  forget();
  if (node.type === "Function") walk.functions.add(node.name.value);
  if ((node.type === "For" || node.type === "Select") && isPowerful(node.name.value, null)) {
    walk.findings.push(...unknown(node.name.value));
  }
  if (node.type === "If" || node.type === "Case") {
    // At most one of its branches runs, once, from here.
    walk.place = before;
    const places: ShellPlace[] = [before];
    forEachChild(node, (child) => {
      visit(walk, child);
      places.push(walk.place);
      if (node.type === "Case" || child !== node.clause)
        walk.place = node.type === "Case" ? before : (places[1] ?? before);
      for (const name of settled.names) walk.variables.delete(name);
    });
    walk.place = settled.moves ? places.reduce(either) : before;
  } else {
    visitChildren(walk, node);
  }
  forget();
  walk.blocks -= 1;
}

/** What the commands in a block may change for those after them. */
function settledBy(walk: Walk, node: SyntaxNode): { readonly names: ReadonlySet<string>; readonly moves: boolean } {
  const names = new Set<string>();
  let moves = false;
  const look = (child: SyntaxNode): void => {
    if (child.type === "Assignment") names.add(child.name);
    if (child.type === "For" || child.type === "Select") names.add(child.name.value);
    if (child.type === "ArithmeticWord") names.add(child.value);
    if (child.type === "ParameterExpansion") names.add(child.parameter);
    if (child.type === "Command" && child.name) {
      const name = child.name.value;
      if (/^(cd|pushd|popd|chdir)$/.test(name) || walk.functions.has(name)) moves = true;
      if (setsVariables(name)) namesIn(wordsOf(child, new Map())).forEach((each) => names.add(each));
    }
    forEachChild(child, look);
  };
  look(node);
  return { names, moves };
}

/** Follows where the line is if everything so far succeeded, and where it is if something failed. */
function visitAndOr(walk: Walk, { commands, operators }: AndOr): void {
  let worked: ShellPlace | null = null;
  let failed: ShellPlace | null = null;
  for (const [index, command] of commands.entries()) {
    const isAlternative = operators[index - 1] === "||";
    const from: ShellPlace = (index === 0 ? null : isAlternative ? failed : worked) ?? walk.place;
    walk.place = from;
    visit(walk, command);
    const arrival = arrivals.get(command);
    const [goodPlace, badPlace]: readonly ShellPlace[] = arrival ? [arrival, from] : [walk.place, walk.place];
    const ends = command.type === "Command" && /^(exit|return)$/.test(command.name?.value ?? "");
    if (index === 0 || !isAlternative) {
      worked = ends ? null : (goodPlace ?? from);
      failed = ends ? failed : eitherOf(failed, badPlace ?? from);
    } else {
      worked = ends ? worked : eitherOf(worked, goodPlace ?? from);
      failed = ends ? null : (badPlace ?? from);
    }
    // It may not have run.
    if (isAlternative) settledBy(walk, command).names.forEach((name) => walk.variables.delete(name));
  }
  walk.place = eitherOf(worked, failed ?? worked ?? walk.place);
  for (const command of commands.slice(1)) {
    settledBy(walk, command).names.forEach((name) => walk.variables.delete(name));
  }
}

function eitherOf(one: ShellPlace | null, other: ShellPlace): ShellPlace {
  return one === null ? other : either(one, other);
}

/** Where a cd leads if it works. */
const arrivals = new WeakMap<SyntaxNode, ShellPlace>();

function visitPipeline(walk: Walk, { commands, prefixes }: Pipeline): void {
  if (commands.length === 1 && commands[0]) return visit(walk, commands[0]);
  if (prefixes.length > 0) prefixes.forEach((prefix) => visitChildren(walk, prefix));
  commands.forEach((command, index) =>
    inSubshell(walk, (inner) => {
      inner.isPiped = index < commands.length - 1;
      visit(inner, command);
    }),
  );
}

function wordsOf(command: Command, variables: ReadonlyMap<string, string>): readonly Argument[] {
  return command.args.map((word) => (word.type === "Word" ? argumentOf(word, variables) : assigned(word, variables)));
}

/** An assignment among the words, such as of `export`. */
function assigned(assignment: Assignment, variables: ReadonlyMap<string, string>): Argument {
  const { value } = assignment;
  if (value.type !== "Word") return { text: assignment.text, isLiteral: false, mayBeFlags: false };
  const argument = argumentOf(value, variables);
  const text = argument.isLiteral ? `${assignment.name}=${argument.text}` : assignment.text;
  return { text, isLiteral: argument.isLiteral, mayBeFlags: false };
}

function visitCommand(walk: Walk, command: Command): void {
  // Substitutions and redirections in all of its words come first.
  visitChildren(walk, command);
  const assignments = command.prefix.filter((each) => each.type === "Assignment");
  if (command.name === undefined) return setVariables(walk, assignments);
  const name = argumentOf(command.name, walk.variables);
  const words = wordsOf(command, walk.variables);
  for (const assignment of assignments) {
    const value = assigned(assignment, walk.variables);
    const known = value.isLiteral ? literal(value.text.slice(assignment.name.length + 1)) : null;
    if (!isHarmlessFor(name.text, assignment.name, known)) walk.findings.push(...unknown(assignment.text));
  }
  if (!name.isLiteral) {
    walk.findings.push(...unknown(name.text));
    walk.place = { directories: null };
    return;
  }
  if (walk.functions.has(name.text)) {
    walk.place = { directories: null };
    return;
  }
  if (/^(cd|chdir|pushd|popd)$/.test(name.text)) changeDirectory(walk, command, name.text, words);
  if (setsVariables(name.text)) {
    for (const each of namesIn(words)) walk.variables.delete(each);
    command.args.forEach((each) => each.type === "Assignment" && setVariables(walk, [each]));
  }
  const builtin = judgeBuiltin(name.text, words);
  walk.findings.push(...(builtin ?? judgeCommand([name, ...words], aroundOf(walk, command.redirects))));
}

function aroundOf(walk: Walk, redirects: readonly Redirection[]): Around {
  const isRedirected = redirects.some(({ type, operator, descriptor }) => {
    const isOutput = descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1);
    return type === "Redirect" && operator.includes(">") && isOutput;
  });
  return {
    place: walk.place,
    isRedirected: isRedirected || walk.isPiped,
    command: judgeCommand,
    script: (text, place) => judgeScript(text, place, walk.scripts + 1),
  };
}

function setVariables(walk: Walk, assignments: readonly Assignment[]): void {
  for (const assignment of assignments) {
    const { name, value } = assignment;
    const argument = value.type === "Word" ? argumentOf(value, walk.variables) : null;
    const isPlain = argument?.isLiteral && !assignment.append && assignment.index === undefined;
    if (isPowerful(name, isPlain ? argument : null)) walk.findings.push(...unknown(assignment.text));
    if (isPlain) walk.variables.set(name, argument.text);
    else walk.variables.delete(name);
  }
}

function changeDirectory(walk: Walk, command: Command, name: string, words: readonly Argument[]): void {
  const operands = words.filter(({ text }) => !/^(-[LPe@]+|--)$/.test(text));
  const [path] = operands;
  const arrival = name === "popd" || operands.length !== 1 ? { directories: null } : within(walk.place, path ?? null);
  arrivals.set(command, arrival);
  walk.place = either(walk.place, arrival);
}

function visitRedirect(walk: Walk, redirect: Redirect): void {
  visitChildren(walk, redirect);
  const { operator, target } = redirect;
  if (operator === "<" || operator === "<&" || target === undefined) return;
  const path = argumentOf(target, walk.variables);
  if (operator === ">&" && path.isLiteral && /^(\d+-?|-)$/.test(path.text)) return;
  if (isSink(path)) return;
  const isProcess = target.parts?.length === 1 && target.parts[0]?.type === "ProcessSubstitution";
  if (isProcess) return;
  // A variable may hold the number of an open file.
  if (operator === ">&" && !path.isLiteral) walk.findings.push(...unknown(">&"));
  else if (path.isLiteral && /^\/dev\/(?!shm\/)/.test(path.text)) walk.findings.push(...unknown(path.text));
  else walk.findings.push(...writes(operator, targetsAt(walk.place, [path])));
}
