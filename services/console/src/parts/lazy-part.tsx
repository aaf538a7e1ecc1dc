import { Alert, Button, Group, Text } from "@mantine/core";
import { type ComponentType, createElement, type FunctionComponent, type ReactNode, useEffect, useState } from "react";
import { Icon } from "./icon.tsx";
import { Waiting } from "./waiting.tsx";

type Frame<Props> = ComponentType<Props & { readonly children: ReactNode }>;

/** A component whose code is loaded when it is first shown, or preloaded by the router. */
type LazyPart<Props> = FunctionComponent<Props> & { readonly preload: () => Promise<void> };

/**
 * A component in a separate file. If the file cannot be loaded (the gateway is away, or was updated and no longer has it), only
 * this component shows the error and a retry. React's `lazy` would unmount the surrounding page with its input and cache the
 * failure; the router's would reload the page into the browser's error page.
 * @param Frame around the failure, of a part without a place in the page; such a part shows nothing while loading
 */
export function lazyPart<Module extends object, Props extends object>(
  load: () => Promise<Module>,
  partOf: (module: Module) => ComponentType<Props> | undefined,
  Frame?: Frame<Props>,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined;
  let failedAddress: string | undefined;
  let underway: Promise<boolean> | undefined;
  const fetchOnce = async (): Promise<boolean> => {
    underway ??= (failedAddress === undefined ? load() : loadAfresh<Module>(failedAddress))
      .then((module) => {
        // The bundler puts a module that is also imported elsewhere under a member of its file.
        loaded = [module, ...Object.values(module)].map((each) => partOf(each as Module)).find(isPart);
        return loaded !== undefined;
      })
      .catch((err: unknown) => {
        failedAddress ??= addressIn(err);
        return false;
      })
      .finally(() => (underway = undefined));
    return await underway;
  };
  const Part = (props: Props) => {
    const [tries, setTries] = useState(1);
    const [failedTry, setFailedTry] = useState(0);
    const [, setIsThere] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded === undefined) void fetchOnce().then((isThere) => (isThere ? setIsThere(true) : setFailedTry(tries)));
    }, [tries]);
    if (loaded !== undefined) return createElement(loaded, props);
    if (failedTry !== tries) return Frame === undefined ? <Waiting /> : null;
    const failure = <LoadFailure onRetry={() => setTries(tries + 1)} />;
    return Frame === undefined ? failure : <Frame {...props}>{failure}</Frame>;
  };
  return Object.assign(Part, { preload: async () => void (await fetchOnce()) });
}

/** The file that could not be imported, if the browser's error names it. */
function addressIn(err: unknown): string | undefined {
  const [address] = (err instanceof Error ? /https?:\/\/\S+\/assets\/[\w-]+\.js/.exec(err.message) : null) ?? [];
  return address;
}

/** Browsers cache a failed import by its address for as long as the page is open. */
async function loadAfresh<Module extends object>(address: string): Promise<Module> {
  return (await import(/* @vite-ignore */ `${address}?try=${Date.now()}`)) as Module;
}

function isPart(part: unknown): boolean {
  return typeof part === "function";
}

function LoadFailure({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />}>
      <Text size="sm">
        This part of the console could not be loaded. The gateway may be unavailable, or it was updated after this page
        was opened. What you typed elsewhere is kept; reloading the page would lose it.
      </Text>
      <Group mt="xs" gap="xs">
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
        <Button variant="default" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Group>
    </Alert>
  );
}
