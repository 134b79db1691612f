-- Who paused the room, when and why; null while it is not paused. And the person who gave the reserved stick to its
-- recipient; null if the stick was passed, or went to the next in the queue.

ALTER TABLE rooms ADD COLUMN paused text;
ALTER TABLE rooms ADD COLUMN given_by text;
