import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { readPageFacts } from "../api/page-facts.ts";
import { takePlace } from "../api/sign-in-providers.ts";
import { createPageCache } from "./caches.ts";
import { router } from "./routes.ts";
import { motionMs, theme } from "./theme.ts";

const { styleNonce } = readPageFacts();
// Read by libraries that create style elements (get-nonce, in Mantine's drawers and dialogs).
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
// Page from which the browser left for an identity provider.
const place = takePlace();
if (place !== undefined) router.history.replace(place);
const cache = createPageCache();

/**
 * Root element, with theme, query cache, notifications and router. Styles carry the page's nonce, for its content security
 * policy.
 */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={cache}>
        <Notifications position="bottom-right" transitionDuration={motionMs} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
