import type { CliContext } from '../context.ts'
import { RejectedRunError } from '../errors.ts'
import type { PriceOptions } from '../options.ts'
import { ask } from '../terminal/ask.ts'
import { priceText } from '../terminal/text.ts'

/**
 * From this price on, in credits, a run needs a permission. Images and sounds cost less in the example catalog, videos more:
 * a mistyped id or a price that was raised is noticed, and trying out an image needs no option.
 */
const ASK_FROM_CREDITS = 20

/** Says the price, and asks when it is high. Without a person, a high price needs an option. @throws RejectedRunError */
export async function agreeOnPrice(
  { credits, subject }: { credits: number; subject: string },
  options: PriceOptions,
  { terminal }: CliContext,
): Promise<void> {
  const sentence = `${subject} costs ${priceText(credits)}`
  terminal.event('price', { credits })
  const { maxCredits, yes } = options
  if (maxCredits !== undefined && credits > maxCredits) {
    throw new RejectedRunError(`${sentence}, more than --max-credits ${maxCredits}. Nothing was sent.`)
  }
  const needsPermission = !yes && maxCredits === undefined && credits >= ASK_FROM_CREDITS
  if (needsPermission && (!terminal.isInteractive || terminal.json)) {
    throw new RejectedRunError(
      `${sentence}. From ${ASK_FROM_CREDITS} credits on, pass --yes or --max-credits <number>. Nothing was sent.`,
    )
  }
  terminal.say(`${sentence}.`)
  if (needsPermission && !/^y(es)?$/i.test(await ask(`Pay ${priceText(credits)}? [y/N] `)))
    throw new RejectedRunError('Nothing was sent.')
}
