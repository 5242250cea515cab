import { RoomFrame } from '../../shell/RoomFrame';

/** Automation > Intelligence Automation. */
export function Room() {
  return <RoomFrame room="/intelligence" />;
}
