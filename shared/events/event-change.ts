import type { Conversation, Direction, MessageStatus } from '../conversations/conversation.ts';

/** The change of a conversation. */
export type ConversationTransition = 'created' | 'assigned' | 'resolved' | 'reopened';

export interface ConversationChange {
  readonly _id: string;
  readonly channel: string;
  readonly transitions: readonly ConversationTransition[];
  /** The users who are new to it, the one it belongs to first. */
  readonly assigned?: readonly string[];
}

/** The change of a conversation that begins. */
export function conversationCreated({
  _id,
  channel,
  userId,
}: Pick<Conversation, '_id' | 'channel' | 'userId'>): ConversationChange {
  return { _id, channel, transitions: ['created'], ...(userId !== null && { assigned: [userId] }) };
}

/**
 * The details of a change that its event's data does not have, for the triggers of workflows. Only ids and words, so that the event does
 * not cost more. Not in frames.
 */
export interface EventChange {
  /** The contact's fields that changed, by name. */
  readonly fields?: readonly string[];
  readonly addedTags?: readonly string[];
  /** The users who are new as owner or assignees, the owner first. */
  readonly assigned?: readonly string[];
  readonly consent?: 'in' | 'out';
  /** The names of the stages that a contact or an application was in, and is in now. */
  readonly fromStage?: string;
  readonly stage?: string;
  readonly application?: {
    readonly transition: 'created' | 'moved' | 'edited' | 'deleted';
    readonly name: string;
  };
  readonly conversation?: ConversationChange;
  readonly message?: {
    readonly direction: Direction;
    readonly status: MessageStatus;
    /** The value before. */
    readonly was?: MessageStatus;
    /** The numbers of an inbound one. */
    readonly from?: string;
    readonly to?: string;
  };
  readonly reminder?: { readonly userId: string };
  /** One of the notifications of a mention tells of all whom it mentions, and how the note begins. */
  readonly mention?: {
    readonly userId: string;
    readonly mentions: readonly string[];
    readonly note: string;
  };
  /** What happened to the account of a user. */
  readonly account?: 'disabled' | 'password_changed';
  /** Why a run failed, and where. */
  readonly run?: { readonly nodeId?: string; readonly reason?: string };
}
