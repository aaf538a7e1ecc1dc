import { findFreePort } from "@gatehouse/ports";
import { IdentityProvider } from "../identity-provider.ts";
import { VisitingBrowser } from "../visiting-browser.ts";
import { type ConsoleFixture, openConsoleFixture } from "./console-fixture.ts";
import type { ConsoleVisitor } from "./console-visitor.ts";

const clientSecret = "the-secret-of-the-gateway";
/** Groups of the identity provider, by the roles that they grant. */
const groups = { owner: "platform", viewer: "readers", outsider: "elsewhere" } as const;
/** Roles in the whole gateway; an outsider is an owner of a missing project, and so sees none. */
const roles: Readonly<Record<keyof typeof groups, object>> = {
  owner: { role: "owner" },
  viewer: { role: "viewer" },
  outsider: { role: "owner", projects: ["3f0c7b1e-5a0d-4c1b-9d5e-0b8f6a2c4d17"] },
};

/** A product in use with an identity provider, at which Ann has signed in. */
export interface SignInFixture extends ConsoleFixture {
  readonly ann: ConsoleVisitor;
  /** Makes the provider's next answer Ann, with this role. */
  readonly expectAnn: (role: keyof typeof groups) => void;
  /** Changes Ann's role, by another sign-in of hers. */
  readonly giveRole: (role: keyof typeof groups) => Promise<void>;
  /** Opens a page for Ann as an owner, and waits until it has loaded. */
  readonly openAsOwner: (address: string) => Promise<void>;
}

export async function openSignInFixture(chromiumPath: string): Promise<SignInFixture> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const redirectUri = `${url}/control/sign-in/corp/callback`;
  const idp = await IdentityProvider.start([{ id: "gatehouse", secret: clientSecret, redirectUri }]);
  const rules = Object.entries(roles).map(([name, given]) => ({
    claim: "groups",
    has: groups[name as keyof typeof groups],
    ...given,
  }));
  const corp = { id: "corp", name: "Example Corp", issuer: idp.url, client_id: "gatehouse", scopes: ["groups"], rules };
  const env = {
    PORT: String(port),
    PUBLIC_URL: url,
    SIGN_IN_PROVIDERS: JSON.stringify([{ ...corp, client_secret: "env:GATEHOUSE_SECRET_OIDC" }]),
    GATEHOUSE_SECRET_OIDC: clientSecret,
  };
  const fixture = await openConsoleFixture(chromiumPath, { env, url });
  const expectAnn = (role: keyof typeof groups) => idp.expect({ id: "ann", claims: { groups: [groups[role]] } });
  const giveRole = async (role: keyof typeof groups) => {
    expectAnn(role);
    const elsewhere = new VisitingBrowser({});
    await elsewhere.visit(`${url}/control/sign-in/corp`, `${url}/console`);
    // Ends the session, since a person's sessions are bounded.
    const { body } = await elsewhere.json(`${url}/control/session`);
    await elsewhere.signOut(url, String(body["csrf_token"]));
  };
  const ann = await fixture.visitor.openStranger();
  // Accepts the question of a form that is left with unsaved input.
  ann.page.on("dialog", (dialog) => void dialog.accept());
  expectAnn("owner");
  await ann.page.goto("/console");
  await ann.page.getByRole("link", { name: "Sign in with Example Corp" }).click();
  await ann.page.getByRole("navigation", { name: "Main" }).waitFor();
  const openAsOwner = async (address: string) => {
    await giveRole("owner");
    await ann.page.goto(`/console${address}`);
    await ann.page.getByRole("heading", { level: 1 }).waitFor();
    await ann.page.waitForLoadState("networkidle");
  };
  const stop = async () => {
    await ann.leave();
    await fixture.stop();
    await idp.stop();
  };
  return { ...fixture, ann, expectAnn, giveRole, openAsOwner, stop };
}
