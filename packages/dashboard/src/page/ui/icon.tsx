const PATHS = {
  models:
    'M4 5.500A1.5 1.5 0 0 1 5.5 4h4A1.5 1.5 0 0 1 11 5.500v4A1.5 1.5 0 0 1 9.5 11h-4A1.5 1.5 0 0 1 4 9.500zM13 5.500A1.5 1.5 0 0 1 14.5 4h4A1.5 1.5 0 0 1 20 5.500v4a1.5 1.5 0 0 1-1.5 1.500h-4A1.5 1.5 0 0 1 13 9.500zM4 14.500A1.5 1.5 0 0 1 5.5 13h4a1.5 1.5 0 0 1 1.5 1.500v4A1.5 1.5 0 0 1 9.5 20h-4A1.5 1.5 0 0 1 4 18.500zM16.5 13v7M13 16.500h7',
  jobs: 'M5 4v16M12 4v16M19 4v16M5 8h6m1 5h6m-6 4H6',
  deliveries: 'M4 6h16v12H4zM4 7l8 6 8-6',
  controls: 'M4 8h9m4 0h3M4 16h3m4 0h9M13 5.500v5M9 13.500v5',
  activity: 'M3 12h4l3-7 4 14 3-7h4',
  request: 'M4 12h15m-5-5 5 5-5 5',
  play: 'M8 5v14l11-7z',
  step: 'M6 5v14l9-7zM18 5v14',
  copy: 'M9 9h10v11H9zM5 15V4h10v2',
  bolt: 'M13 3 5 13.500h6L11 21l8-10.500h-6z',
  coin: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v8M9.5 10h4a1.5 1.5 0 0 1 0 4h-3',
  back: 'M14 6l-6 6 6 6',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20',
  close: 'M6 6l12 12M18 6 6 18',
} as const

export type IconName = keyof typeof PATHS

/** An image that says nothing which the text beside it does not say. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
