/**
 * Ids of demo records, the same in every fresh local database. The seed writes the records, and the examples of operations name
 * them, so that each example works as printed. The example that deletes a record uses a `spare…` one, which no other example
 * needs. The ids are older than their records, which are dated from the first start.
 *
 * Each has a constant, so that a bundle contains only the constants that its operation names.
 */

/** The organization of the superadmin. */
export const platform = '01KF0E958BBJWDVZZ555FVJ18T';
export const superadmin = '01KF0EN9BTN3Y1FGWMDRH36RKQ';
export const aiModel = '01KF0K3SB7H3810Y9G92CXMRZT';
export const spareAiModel = '01KF0KB66SFEEQYFS2WZ4QN0CV';

/** Bluebird Trading, the demo organization. */
export const organization = '01KF0EY6SKVRTJ88B872195D27';
/** To somebody who has not accepted it yet. */
export const spareInvitation = '01KF0FN3Y8ZC4W6D2TQ9VJ5HXA';
/** An API key of the admin, and one to delete. */
export const apiKey = '01KF0FN9D3W7Y5K2B8RQ4XTM6C';
export const spareApiKey = '01KF0FNB8Q5J2H7V4T9WZ6YKXD';
/** A webhook endpoint, and one to delete. */
export const webhookEndpoint = '01KF0FNC7J2R6B4X8T1W5QZYVD';
export const spareWebhookEndpoint = '01KF0FNDM9T3K7Y5C1N8XRW2BZ';
/** To that endpoint. It is kept as long as its event would be, so it is of a time to come. */
export const webhookDelivery = '03QCPC7P00W7K3T9M2B5Y8XQ1D01KF0FNC7J2R6B4X8T1W5QZYVD';
/** The definition of a contact's budget, and one to delete. */
export const customField = '01KF0FNF4B8W2Q6Y9K3T5RXHZC';
export const spareCustomField = '01KF0FNG7D2M5V8X1J4C6TQYNB';
/** A segment that is shared, and one to delete. */
export const segment = '01KF0FNHS3K9R7C5X2B8WQ4T6Y';
export const spareSegment = '01KF0FNJP6T2N4Y8M5D1H7ZKVX';
export const salesNorth = '01KF0F5Q944CB3SDQBXYPEZWBN';
export const salesSouth = '01KF0F70WKSY1X0YM4VEA32XP2';
export const support = '01KF0FE4KR03Y9NGW1P2KJ392R';
/** Without members. */
export const spareDepartment = '01KF0FHNECVPBD3WD5AR8AGRS0';
export const admin = '01KF0FTXSNY6569FNF96QJWEWW';
/** A job of the admin, which has ended. */
export const job = '01KF0FYM6P3T8X5C2R9JWB4HND';
/** One to revert. */
export const spareJob = '01KF0FYQX3B7N5R2K8WZ6T9MJC';
/** One that has not begun. */
export const queuedJob = '01KF0FYP2W9C4M7X1T8ZRQ5VJB';
/** A session of the admin on another device. */
export const spareSession = '01KF0FZV2Q6W8N4T7RCJ3YBHXM';
export const head = '01KF0G1PKTN27H187HJKWVETHQ';
export const rep = '01KF0G971P1SYTWV8GNPEQCJ6G';
export const yuki = '01KF0GMM04SK1ZPJSFA12QWHA4';
export const noor = '01KF0GVSQV5BZ8FK9H0QF8YNDE';
export const matteo = '01KF0GZ5J8JYYTNRRTFHSB804W';
export const olena = '01KF0H0551PD5Z4K42AFG0F2EN';

/** For contacts, beside the active one. */
export const partnersPipeline = '01KF0H9XHJYZDJ8MW0H8E5313A';
export const sparePipeline = '01KF0HF6FJE4DJY7KFF4XAAM8H';
export const workflow = '01KF0HJ0Q54ENAGWVJYWC4DXE9';
export const spareWorkflow = '01KF0HRR2B4JXX7JGVAZMW00R1';
/** Somebody starts it. */
export const followUpWorkflow = '01KF0HTB5M8X3Q6Z1RWC9JYD4V';
/** Disabled, with runs from before that. */
export const formerWorkflow = '01KF0HW7NE2T9K4G6P8SVAX5MB';
export const template = '01KF0J493XJBC2QNC39FD9V2MM';
export const spareTemplate = '01KF0JEJA6Y3VG0PWQPZFFE6E5';
export const listing = '01KF0JMEW9154VJKN7FQBBVMF8';
export const spareListing = '01KF0JWFWNYQD7WEQBSMET1B0A';
/** Active, without a secret: it takes leads from anybody. */
export const outreachConfiguration = '01KF0KPRX8HZA2B61T3E2KZBJR';
export const spareOutreachConfiguration = '01KF0M2S0K8CBCNSXB498M05J1';
/** To the admin. */
export const notification = '01KF0MA24J0NCWFP80DFP1R3MA';

/** Ada Lovelace, on top of the first stage. */
export const ada = '01KF0MC8MN2VVRCSSWT0VNNRH2';
/** By SMS, with messages. */
export const conversation = '01KF0MK4F59A5B65B8CMX56WKG01KF0MC8MN2VVRCSSWT0VNNRH2';
/** The last message that was sent in that conversation, as its provider calls it. */
export const sentMessageSid = 'SMb1d8c0f4a2e64795a30c7f1b9e8d2640';
/** One before it, which could not be delivered. */
export const failedMessage = '01KF0MKC8T3VJ5W7QZ6NXE42RB01KF0MC8MN2VVRCSSWT0VNNRH2';
/** To Ada. Messages are listed in the order of their ids, so its id is of a time to come. */
export const scheduledMessage = '03QCPC7P00T4Q7ZV3M8XKWB1NE01KF0MC8MN2VVRCSSWT0VNNRH2';
export const application = '01KF0MNSQ8X00DVP448SDCA0E001KF0MC8MN2VVRCSSWT0VNNRH2';
export const spareApplication = '01KF0N15DW6ZSPCQXTH9T41BAN01KF0MC8MN2VVRCSSWT0VNNRH2';
/** By the admin. */
export const note = '01KF0N8F3CNPHDD9Z81W2NQ32Z01KF0MC8MN2VVRCSSWT0VNNRH2';
export const spareNote = '01KF0NFM0DARJAHC87VMQMMC1Q01KF0MC8MN2VVRCSSWT0VNNRH2';
export const spareReminder = '01KF0NJPDWZFKV0WP11S7F16MR01KF0MC8MN2VVRCSSWT0VNNRH2';
export const spareSnapshot = '01KF0NR0JA3P3MTPBN6A1GS43301KF0MC8MN2VVRCSSWT0VNNRH2';
export const endedCall = '01KF0P484KG4DYH33FYRKCWWJA01KF0MC8MN2VVRCSSWT0VNNRH2';
export const callUnderWay = '01KF0PCHWYN534GFG97QDFXVX401KF0MC8MN2VVRCSSWT0VNNRH2';
/** To the contact, and not answered yet. */
export const outboundCall = '01KF0PCQ3M8V4W1S6RN5HZB7TE01KF0MC8MN2VVRCSSWT0VNNRH2';

/** Hedy Lamarr, whom workflows run for. */
export const hedy = '01KF0PCSZA4T9W6E2XVR8QHK5M';
/** Runs of `followUpWorkflow`: one that waits, one to cancel, and one that failed. */
export const workflowRun = '01KF0PCTA1M3Q6R8T1W5YB7ZCX01KF0PCSZA4T9W6E2XVR8QHK5M';
export const spareWorkflowRun = '01KF0PCTB7HT2W9K4C6P8XR1YV01KF0PCSZA4T9W6E2XVR8QHK5M';
export const failedWorkflowRun = '01KF0PCTC5DE7G3N5J9SZ4QTH201KF0PCSZA4T9W6E2XVR8QHK5M';
/** A run of `formerWorkflow`. */
export const finishedWorkflowRun = '01KF0PCTD9KX4B7V2Z6M8YQCRA01KF0PCSZA4T9W6E2XVR8QHK5M';

export const spareContact = '01KF0PCVG8HE1RV4DMS9WDM7NN';
/** Ada Lovelace once more, as a colleague entered her. */
export const duplicateOfAda = '01KF0PCWR2T6Q9M4X7B3ZVN5KD';
/** Created by a call to an unknown number, with nothing but that call. */
export const placeholderContact = '01KF0PK8TXNM9G7EMSJHHFB4BM';
export const placeholderCall = '01KF0PPR4YYX9EXE4VKQN5TKXT01KF0PK8TXNM9G7EMSJHHFB4BM';

/** A report of a text that could not be applied. */
export const deadReceipt = '01KF0PQ0T1JE8HK99N4G6JH004';

/** Radia Perlman, into whom another record of hers was merged, and that merge. */
export const radia = '01KF0PCX4M7WB2Q9T5K8D3VRYN';
export const otherRadia = '01KF0PCX9H3F6S1C8Y5M2XQTEK';
export const contactChange = '01KF0PCXE2N8K4V7R1W6Z9TBHD01KF0PCX4M7WB2Q9T5K8D3VRYN';
