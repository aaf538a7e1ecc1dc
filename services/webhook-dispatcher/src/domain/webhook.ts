import type { SigningSecrets } from "./signing-secret.ts";

/** Webhooks per project. */
export const webhooksPerProjectMax = 100;

/** A project in the body of a delivery. */
export interface ProjectName {
  readonly id: number;
  readonly name: string;
  readonly uuid: string;
}

/** A receiver of events, for administrators. */
export interface Webhook {
  readonly id: number;
  readonly projectUuid: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isActive: boolean;
  readonly secrets: SigningSecrets;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
