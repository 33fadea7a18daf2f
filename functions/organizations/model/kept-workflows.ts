import { listedNames } from '../../../shared/kernel/names/listed-names.ts';
import type { NotificationRequest } from '../../../shared/notifications/notification-request.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { type OwnWorkflow, roleWithin } from '../../../shared/workflows/own-workflows.ts';

/** The names of those of a user's workflows that do not get the wider rights of the user, because somebody else changed them last. */
export function keptWorkflows(workflows: readonly OwnWorkflow[], before: User, after: User): string[] {
  const kept = workflows.filter(({ most }) => {
    const isKept = (user: User) => roleWithin(user, most) !== user.accessRole;
    return isKept(after) && !isKept(before);
  });
  return kept.map(({ name }) => name);
}

/** For the response to who changed the user; empty without such workflows. */
export function keptMessage(names: readonly string[]): string {
  const [which, keep, save] =
    names.length === 1
      ? ['1 workflow', 'keeps', 'saves it']
      : [`${names.length} workflows`, 'keep', 'saves them'];
  return names.length === 0
    ? ''
    : `. ${which} that somebody else changed last ${keep} the earlier rights of the user until the user or an ADMIN ${save}: ${listedNames(names)}`;
}

/** Tells the user; undefined without such workflows. */
export function keptNotification(
  { _id }: Pick<User, '_id'>,
  names: readonly string[],
): NotificationRequest | undefined {
  const [keep, them] = names.length === 1 ? ['keeps', 'it'] : ['keep', 'them'];
  return names.length === 0
    ? undefined
    : {
        type: 'automation',
        to: [_id],
        title: `${names.length} of your workflows ${keep} your earlier rights`,
        message: `Somebody else changed ${them} last. Check ${them}, and save ${them} to confirm ${them}: ${listedNames(names)}`,
      };
}
