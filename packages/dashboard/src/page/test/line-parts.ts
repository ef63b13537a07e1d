/** The control API writes in snake_case what options of TypeScript write in camelCase. */
export function keyOptions({ allow_ips: allowIps, ...others }: { allow_ips?: unknown }): object {
  return { ...others, allowIps }
}

export function scaleText(scale: number): string {
  if (scale === 0) return 'Time was paused.'
  return scale === 1 ? 'Time continued at the speed of real time.' : `Time continued ${scale} times as fast.`
}

export function advance(ms: number): string[] {
  const whole = Math.ceil(ms)
  return whole > 0 ? [`await server.clock.advance(${group(whole)})`] : []
}

/** `12_500`: as people write it. */
function group(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_')
}
