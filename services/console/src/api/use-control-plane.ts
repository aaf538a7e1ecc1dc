import {
  type QueryKey,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { createContext, useContext, useRef, useState } from "react";
import type { Arguments, ControlPlane, Operation } from "./control-plane.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Session } from "./session.ts";
import type { ArgumentsOf, ListName, OperationName, ResultOf } from "./types.ts";
import type { UnansweredKeys } from "./unanswered-keys.ts";

/** Context of every page for signed-in persons. */
export interface SignedIn {
  readonly session: Session;
  readonly controlPlane: ControlPlane;
  /** Keys of this person's unanswered changes, over all pages. */
  readonly unanswered: UnansweredKeys;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** @throws Error outside of pages for signed-in persons */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === undefined) throw new Error("This part is for people who are signed in.");
  return signedIn;
}

/** Key of the query cache: an operation's name, then its arguments. */
export function operationKey(name: string, args?: Arguments): QueryKey {
  return args === undefined ? ["operation", name] : ["operation", name, args];
}

interface ReadOptions {
  readonly enabled?: boolean;
  /** Refreshes while the page is open. */
  readonly refetchIntervalMs?: number;
}

interface ReadUntilOptions<Result> extends ReadOptions {
  /** Ends the refreshing. */
  readonly refetchUntil?: (result: Result) => boolean;
}

/** Reads the result of an operation. */
export function useRead<Name extends OperationName>(
  name: Name,
  args: ArgumentsOf<Name>,
  options: ReadUntilOptions<ResultOf<Name>> = {},
) {
  const { controlPlane } = useSignedIn();
  const { enabled = true, refetchIntervalMs = false, refetchUntil = () => false } = options;
  return useQuery({
    queryKey: operationKey(name, args),
    queryFn: async ({ signal }) => await controlPlane.call(name, args, signal),
    enabled,
    refetchInterval: ({ state: { data } }) => (data !== undefined && refetchUntil(data) ? false : refetchIntervalMs),
  });
}

/** Reads a whole list, over all pages. */
export function useReadAll<Name extends ListName>(name: Name, args: ArgumentsOf<Name>, options: ReadOptions = {}) {
  const { controlPlane } = useSignedIn();
  return useQuery(readAll(controlPlane, { name, args, options }));
}

/** Reads whole lists of one operation, one per set of arguments; returns those loaded so far. */
export function useReadEach<Name extends ListName>(
  name: Name,
  sets: readonly ArgumentsOf<Name>[],
  options: ReadOptions = {},
) {
  const { controlPlane } = useSignedIn();
  return useQueries({
    queries: sets.map((args) => readAll(controlPlane, { name, args, options })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
}

interface ReadAll<Name extends ListName> {
  readonly name: Name;
  readonly args: ArgumentsOf<Name>;
  readonly options: ReadOptions;
}

function readAll<Name extends ListName>(controlPlane: ControlPlane, { name, args, options }: ReadAll<Name>) {
  const { enabled = true, refetchIntervalMs = false } = options;
  return queryOptions({
    queryKey: [...operationKey(name, args), "all"],
    queryFn: async ({ signal }) => await controlPlane.callAll(name, args, signal),
    enabled,
    refetchInterval: refetchIntervalMs,
  });
}

interface Underway<Result> {
  readonly key: string;
  readonly result: Promise<Result>;
}

/**
 * Calls an operation that changes something, and refreshes everything read before, since a change may show in many places. A
 * repetition during the call, such as a second click before the button is disabled, is dropped. A repetition after a lost answer
 * has the same idempotency key.
 * @param complete completes the arguments, for an operation that takes only whole settings
 */
export function useChange<Name extends OperationName>(name: Name, complete = asItIs) {
  const { controlPlane, unanswered } = useSignedIn();
  const cache = useQueryClient();
  const takesKey = useContext(OperationsContext)?.get(name)?.takesIdempotencyKey === true;
  const send = async (args: Arguments) =>
    takesKey
      ? await unanswered.use(
          { operation: name, args },
          async (key, same) => await controlPlane.callOnce(name, same, key),
        )
      : await controlPlane.call(name, args);
  const underway = useRef<Underway<ResultOf<Name>>>(undefined);
  return useMutation({
    mutationKey: operationKey(name),
    mutationFn: async (args: Arguments) => {
      const key = JSON.stringify(args);
      if (underway.current?.key !== key) {
        underway.current = {
          key,
          result: complete(args).then(send),
        };
      }
      const { current } = underway;
      return await current.result.finally(() => {
        if (underway.current === current) underway.current = undefined;
      });
    },
    // Not awaited, so that the caller's success handler runs even if the refresh removes its component.
    onSuccess: () => void cache.invalidateQueries({ queryKey: ["operation"] }),
  });
}

async function asItIs(args: Arguments): Promise<Arguments> {
  return await Promise.resolve(args);
}

export type Operations = ReadonlyMap<string, Operation>;

export const OperationsContext = createContext<Operations | undefined>(undefined);

/** The operations that this person may call, by name. @throws Error outside of `WithOperations` */
export function useOperations(): Operations {
  const operations = useContext(OperationsContext);
  if (operations === undefined) throw new Error("This part stands within WithOperations.");
  return operations;
}

/** Reads the operations that this person may call; suspends meanwhile. */
export function useReadOperations(): Operations {
  const { controlPlane } = useSignedIn();
  const { data } = useSuspenseQuery({
    queryKey: ["operations"],
    queryFn: async ({ signal }) =>
      new Map((await controlPlane.listOperations(signal)).map((operation) => [operation.name, operation])),
    staleTime: 60_000,
  });
  return data;
}

/** Whether this person may call an operation; others are not offered. */
export function useMay(name: string): boolean {
  return useOperations().has(name);
}

const anything: JsonSchema = { type: "object", properties: {} };

/** The schema of an operation's arguments. */
export function useSchema(name: string): JsonSchema {
  const found = useOperations().get(name)?.inputSchema;
  const [known, setKnown] = useState(found ?? anything);
  // Keeps the last known schema, so that an open form keeps its fields and input when the right to send it is lost.
  if (found !== undefined && found !== known) setKnown(found);
  return found ?? known;
}
