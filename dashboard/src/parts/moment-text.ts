const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Day and time to the second, in the zone of the reader; `–` stands for never. */
export const momentText = (time: string | number | null): string =>
  time === null ? '–' : moment.format(new Date(time))

const inList = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** The same without the year, where there are many below each other. */
export const shortMomentText = (time: string): string => inList.format(new Date(time))
