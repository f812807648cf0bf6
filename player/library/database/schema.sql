-- A new library. `migrations` brings older ones to the same schema and says how to change it.
--
-- Moments are whole milliseconds since 1970 in UTC; lengths and positions are milliseconds, sizes bytes. 0 is no and 1 is
-- yes. A missing text is ''; NULL means what the comment of its column says, or that nobody knows.
-- IDs of podcasts and episodes are never reused: a screen or a script may still hold an old one.

PRAGMA application_id = 0x4561726D; -- “Earm”: distinguishes an Earmark library from any other SQLite file


-- Podcasts

-- Subscriptions, and podcasts that are only previewed.
CREATE TABLE podcasts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    url_key TEXT NOT NULL UNIQUE, -- the same for all spellings of an address
    title TEXT NOT NULL,
    folded TEXT NOT NULL, -- the title without case and accents
    author TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    link TEXT NOT NULL DEFAULT '',
    image_url TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '', -- as the server wrote it
    last_refreshed INTEGER,
    error TEXT, -- the sentence of the last refresh, if it failed
    extra TEXT NOT NULL DEFAULT '', -- JSON: everything in the feed that has no column (people, funding, location ...)
    own_title TEXT NOT NULL DEFAULT '', -- the listener's name for it
    pinned INTEGER NOT NULL DEFAULT 0,
    previewed_at INTEGER -- when a preview was last opened, 0 for a suggestion; NULL for subscriptions
) STRICT;

CREATE INDEX podcasts_previewed ON podcasts (previewed_at) WHERE previewed_at IS NOT NULL;

-- How many episodes each podcast has, so that no list waits for counting. Apart from `podcasts`, whose long descriptions
-- would make each change of a count expensive. Triggers keep the counts, except for new episodes: `podcasts.py` counts
-- those together, since a trigger for each doubles the cost of adding one.
CREATE TABLE podcast_counts (
    podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
    episodes INTEGER NOT NULL DEFAULT 0,
    unplayed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER podcast_added AFTER INSERT ON podcasts BEGIN
    INSERT INTO podcast_counts (podcast_id) VALUES (NEW.id);
END;

-- What the last response of a feed means for the next check of it.
CREATE TABLE visits (
    podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
    checked_at INTEGER,
    due_at INTEGER,
    held_until INTEGER, -- the pause that the server asked for
    failures INTEGER NOT NULL, -- in a row
    gone INTEGER NOT NULL, -- whether the feed has ended
    digest TEXT NOT NULL,
    archive TEXT NOT NULL, -- the archive page to be read next
    archived INTEGER NOT NULL -- how many were read
) STRICT;

-- What the listener has set for single podcasts; few have a row. NULL means the general setting.
CREATE TABLE podcast_settings (
    podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
    speed REAL,
    skip_intro_ms INTEGER NOT NULL,
    skip_outro_ms INTEGER NOT NULL,
    gain_db REAL NOT NULL,
    skip_chapters TEXT, -- a JSON array of titles
    new_episodes TEXT, -- where new episodes go
    only_newest INTEGER,
    age_limit_days INTEGER,
    include_titles TEXT NOT NULL DEFAULT '',
    exclude_titles TEXT NOT NULL DEFAULT '',
    download_newest INTEGER, -- 0 for nothing
    download_include TEXT NOT NULL DEFAULT '',
    download_exclude TEXT NOT NULL DEFAULT '',
    download_at_least_ms INTEGER,
    download_under_ms INTEGER,
    boost TEXT, -- how clear voices become
    trim TEXT, -- how much of pauses is left out
    transcribe TEXT, -- of which episodes transcripts are made
    segments TEXT -- a JSON object: what happens to segments, by kind, where they aren't asked about
) STRICT;

CREATE TABLE podcast_tags (
    podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (podcast_id, tag)
) WITHOUT ROWID, STRICT;


-- Episodes

-- Narrow rows, for lists; `details` has what only the selected episode needs. Each list has an index with all that
-- determines its order: `sort`, newest first, and the ID. Lists of unplayed episodes use the indexes of all episodes and
-- check each row: indexes of their own took a third of the time of writing new episodes.
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
    sort INTEGER NOT NULL,
    played INTEGER NOT NULL DEFAULT 0,
    starred INTEGER NOT NULL DEFAULT 0,
    published INTEGER,
    duration_ms INTEGER, -- as the feed says
    measured_ms INTEGER, -- as it was heard
    size INTEGER,
    guid TEXT NOT NULL,
    title TEXT NOT NULL,
    folded TEXT NOT NULL, -- the title without case and accents
    url TEXT NOT NULL,
    media_type TEXT NOT NULL,
    link TEXT NOT NULL,
    fingerprint TEXT NOT NULL -- of what the feed says of it: the same means unchanged
) STRICT;

CREATE INDEX episodes_newest ON episodes (sort DESC);
CREATE INDEX episodes_of_podcast ON episodes (podcast_id, sort DESC);
-- With the constant first column a partial index is enough; otherwise SQLite would fetch each row to check it.
CREATE INDEX episodes_starred ON episodes (starred, sort DESC) WHERE starred = 1;

CREATE TRIGGER episode_removed AFTER DELETE ON episodes BEGIN
    UPDATE podcast_counts SET episodes = episodes - 1, unplayed = unplayed - (OLD.played = 0)
    WHERE podcast_id = OLD.podcast_id;
END;

CREATE TRIGGER episode_played AFTER UPDATE OF played ON episodes WHEN OLD.played <> NEW.played BEGIN
    UPDATE podcast_counts SET unplayed = unplayed + OLD.played - NEW.played WHERE podcast_id = NEW.podcast_id;
END;

-- What the page of an episode shows.
CREATE TABLE details (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    image_url TEXT NOT NULL,
    season INTEGER,
    number TEXT NOT NULL,
    explicit INTEGER NOT NULL,
    chapters_url TEXT NOT NULL,
    transcripts TEXT NOT NULL, -- JSON
    notes TEXT NOT NULL, -- HTML or plain text, as the feed has them
    extra TEXT NOT NULL DEFAULT '' -- JSON: everything in the feed that has no column
) STRICT;

-- Few episodes name people: an index of just those saves searching all of them for a name.
CREATE INDEX details_people ON details (episode_id) WHERE instr(extra, '"person"') > 0;

-- Which episodes have transcripts, many or few.
CREATE INDEX details_transcripts ON details (episode_id) WHERE transcripts <> '[]';

-- Where the listener is in an episode. In a file without an index (MP3) a position may be a guess: the byte that was
-- playing finds it again.
CREATE TABLE progress (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    position_ms INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    byte INTEGER,
    file_size INTEGER,
    guessed INTEGER NOT NULL DEFAULT 0,
    audio INTEGER, -- which one of the episode it is a position in; NULL if that isn't known
    moved_ms INTEGER NOT NULL DEFAULT 0, -- by how much it has moved with its sound since the listener was there
    unsure INTEGER NOT NULL DEFAULT 0 -- the bytes are others than those that it was a position in, and nothing aligns
) STRICT;

CREATE INDEX progress_last_heard ON progress (saved_at DESC, position_ms);

-- The bytes in which an episode was heard. Hosts insert other advertisements into each download: a mark (the position, a
-- bookmark, a span of the history) has the number of the audio in whose time it is. Different bytes with the same sound,
-- as of a download and the cache, have the same number.
CREATE TABLE audio (
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    version TEXT NOT NULL, -- identifies the bytes
    number INTEGER NOT NULL,
    sound TEXT, -- around a position that another device has in bytes of its own; NULL for bytes that were heard here
    PRIMARY KEY (episode_id, version)
) WITHOUT ROWID, STRICT;

-- How much time trimmed pauses, and skipped segments, have saved the listener on a day (in days since the year 1, of this
-- computer's calendar).
CREATE TABLE trimmed_pauses (
    podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    saved_ms INTEGER NOT NULL,
    segments_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (podcast_id, day)
) WITHOUT ROWID, STRICT;

-- How loud episodes are, as far as they have been measured.
CREATE TABLE loudness (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    lufs REAL NOT NULL,
    peak_db REAL NOT NULL,
    heard_ms INTEGER NOT NULL, -- how much of it was measured
    is_whole INTEGER NOT NULL
) STRICT;

-- Chapters and transcripts in files of their own, fetched once and stored, compressed, as they came; and the transcripts
-- that couldn't be fetched (`failed`, without a body).
CREATE TABLE companions (
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    language TEXT NOT NULL,
    media_type TEXT NOT NULL,
    body BLOB NOT NULL,
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (episode_id, kind, url)
) STRICT;

-- The episodes that are live shows, until their feed has them as items.
CREATE TABLE live_shows (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    status TEXT NOT NULL, -- pending, live or ended
    starts_at INTEGER, -- as the feed says
    ends_at INTEGER,
    went_live_at INTEGER, -- when a refresh first found it live; NULL if none has
    heard INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Small things that survive a restart: speed, volume, theme ...
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;


-- The listening history

-- A span is identified by its episode and when it began; writing it again extends it. Spans outlive their episode:
-- triggers store what lists show of it. `former_id` is the ID it had, so that an episode that is restored gets its
-- history back.
CREATE TABLE listening_spans (
    id INTEGER PRIMARY KEY,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    speed REAL NOT NULL,
    removed_podcast TEXT NOT NULL DEFAULT '', -- the title of the podcast, once that is removed
    former_id INTEGER,
    removed_episode TEXT NOT NULL DEFAULT '',
    removed_ms INTEGER, -- the length of the episode, which tells whether it was finished
    podcast_id INTEGER, -- of a removed episode
    audio INTEGER -- which one of the episode was heard; NULL if that isn't known
) STRICT;

CREATE UNIQUE INDEX listening_spans_of_episode ON listening_spans (episode_id, began_at);
CREATE INDEX listening_spans_by_time ON listening_spans (began_at);
CREATE INDEX listening_spans_of_removed ON listening_spans (former_id) WHERE former_id IS NOT NULL;

CREATE TRIGGER history_outlives_podcast BEFORE DELETE ON podcasts BEGIN
    UPDATE listening_spans SET removed_podcast = coalesce(nullif(OLD.own_title, ''), OLD.title)
    WHERE podcast_id = OLD.id OR episode_id IN (SELECT id FROM episodes WHERE podcast_id = OLD.id);
END;

CREATE TRIGGER history_outlives_episode BEFORE DELETE ON episodes BEGIN
    UPDATE listening_spans SET former_id = OLD.id, removed_episode = OLD.title, podcast_id = OLD.podcast_id,
        removed_ms = coalesce(OLD.measured_ms, OLD.duration_ms)
    WHERE episode_id = OLD.id;
END;


-- The search index, which is a file of its own

-- Texts as they were before a change or a removal, kept until the index has removed them. New episodes leave nothing
-- here: the index knows them by their IDs. Nor do previews, which it doesn't have: their `sort` is below -(1 << 49)
-- (`lists/preview_keys.py`). Of one that becomes a subscription it needs no former text: podcast 0 says that its
-- episodes are only to be added. An episode whose transcript has changed is indexed again.
CREATE TABLE search_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    episode_id INTEGER NOT NULL,
    podcast_id INTEGER NOT NULL,
    sort INTEGER NOT NULL,
    title TEXT NOT NULL,
    notes TEXT NOT NULL
) STRICT;

CREATE TRIGGER search_notes_changed BEFORE UPDATE OF notes ON details WHEN OLD.notes <> NEW.notes BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)
    SELECT e.id, e.podcast_id, e.sort, e.title, d.notes
    FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = OLD.episode_id;
END;

CREATE TRIGGER search_transcript_insert AFTER INSERT ON companions WHEN NEW.kind = 'transcript' BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)
    SELECT e.id, e.podcast_id, e.sort, e.title, d.notes
    FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = NEW.episode_id;
END;

CREATE TRIGGER search_transcript_delete AFTER DELETE ON companions WHEN OLD.kind = 'transcript' BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)
    SELECT e.id, e.podcast_id, e.sort, e.title, d.notes
    FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = OLD.episode_id;
END;

CREATE TRIGGER search_removed BEFORE DELETE ON episodes WHEN OLD.sort >= -562949953421312 BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)
    SELECT e.id, e.podcast_id, e.sort, e.title, d.notes
    FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = OLD.id;
END;

CREATE TRIGGER search_title_changed BEFORE UPDATE OF title, sort ON episodes
WHEN OLD.sort >= -562949953421312 AND (OLD.title <> NEW.title OR OLD.sort <> NEW.sort) BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)
    SELECT e.id, e.podcast_id, e.sort, e.title, d.notes
    FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = OLD.id;
END;

CREATE TRIGGER search_subscribed BEFORE UPDATE OF sort ON episodes
WHEN OLD.sort < -562949953421312 AND NEW.sort >= -562949953421312 BEGIN
    INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes) VALUES (OLD.id, 0, NEW.sort, '', '');
END;

INSERT INTO state (key, value) VALUES ('search_stamp', lower(hex(randomblob(8)))); -- the library that an index is of


-- Queue, inbox and lists. Ranks have gaps, and may be negative. A `view` is the key of a view.

CREATE TABLE queue (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    added_at INTEGER NOT NULL
) STRICT;

CREATE INDEX queue_by_rank ON queue (rank);

-- The views that continue to play once the queue is empty, and the order in which each plays.
CREATE TABLE continued (view TEXT PRIMARY KEY, newest_first INTEGER NOT NULL) WITHOUT ROWID, STRICT;

-- New episodes, until the listener has decided about them.
CREATE TABLE inbox (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    arrived_at INTEGER NOT NULL
) STRICT;

-- The listener's own lists of both kinds: smart lists and playlists.
CREATE TABLE lists (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL UNIQUE,
    query TEXT, -- of a smart list, in the search language; NULL for a playlist
    rank INTEGER NOT NULL
) STRICT;

CREATE TABLE playlist_episodes (
    list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    PRIMARY KEY (list_id, episode_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX playlists_of_episode ON playlist_episodes (episode_id);

-- How a list is shown, where the listener has changed that.
CREATE TABLE view_settings (
    view TEXT PRIMARY KEY,
    order_by TEXT NOT NULL,
    hide_played INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- A bookmark outlives its episode: everything shown of it is stored here. With `feed` (the podcast's `url_key`) and
-- `guid` it finds an episode that comes back.
CREATE TABLE bookmarks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    position_ms INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    chapter TEXT NOT NULL,
    line TEXT NOT NULL, -- of the transcript
    note TEXT NOT NULL,
    episode TEXT NOT NULL,
    podcast TEXT NOT NULL,
    link TEXT NOT NULL,
    guid TEXT NOT NULL,
    feed TEXT NOT NULL,
    length_ms INTEGER NOT NULL DEFAULT 0, -- of a clip
    audio INTEGER, -- which one of the episode it was made in; NULL if that isn't known
    moved_ms INTEGER NOT NULL DEFAULT 0 -- how much later its sound is than where it was made: other devices don't learn that
) STRICT;

CREATE INDEX bookmarks_of_episode ON bookmarks (episode_id, position_ms);

-- What the listener has marked in an episode: an intro, a sponsor and the like. A segment outlives its episode, since its
-- sound is found in others.
CREATE TABLE segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    start_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sound BLOB, -- its fingerprint, compressed; NULL until that is known
    audio INTEGER, -- which audio of the episode it was marked in; NULL if that isn't known
    moved_ms INTEGER NOT NULL DEFAULT 0 -- as of a bookmark
) STRICT;

CREATE INDEX segments_of_podcast ON segments (podcast_id);
CREATE INDEX segments_of_episode ON segments (episode_id, start_ms);

-- Where the sound of a segment was found. A podcast that comes back brings these before its segments.
CREATE TABLE found_segments (
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    segment_id INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    start_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    rejected INTEGER NOT NULL DEFAULT 0, -- the listener went back to hear it; also of the marked segment itself
    PRIMARY KEY (episode_id, segment_id, start_ms)
) WITHOUT ROWID, STRICT;

CREATE INDEX found_segments_of_segment ON found_segments (segment_id);


-- Undo. There are no foreign keys, since an act outlives what it was about.

-- What the listener did. The tables below have how everything was before; of an act that was undone, how it was then.
CREATE TABLE acts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    count INTEGER NOT NULL,
    parts TEXT NOT NULL, -- what it changed, separated by spaces: `played`, `starred`, `queue`, `inbox` ...
    undone INTEGER NOT NULL DEFAULT 0,
    removed BLOB -- a podcast that was unsubscribed from, compressed
) STRICT;

-- Only the columns that `parts` names mean anything; NULL is: not in the queue, not in the inbox.
CREATE TABLE act_episodes (
    act_id INTEGER NOT NULL,
    episode_id INTEGER NOT NULL,
    played INTEGER NOT NULL,
    starred INTEGER NOT NULL,
    rank INTEGER,
    added_at INTEGER,
    arrived_at INTEGER,
    PRIMARY KEY (act_id, episode_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE act_podcasts (
    act_id INTEGER NOT NULL,
    podcast_id INTEGER NOT NULL,
    own_title TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    tags TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (act_id, podcast_id)
) WITHOUT ROWID, STRICT;

-- The columns of `bookmarks`; where `position_ms` is NULL, there was none.
CREATE TABLE act_bookmarks (
    act_id INTEGER NOT NULL,
    bookmark_id INTEGER NOT NULL,
    episode_id INTEGER,
    position_ms INTEGER,
    created_at INTEGER,
    chapter TEXT,
    line TEXT,
    note TEXT,
    episode TEXT,
    podcast TEXT,
    link TEXT,
    guid TEXT,
    feed TEXT,
    length_ms INTEGER,
    audio INTEGER,
    moved_ms INTEGER,
    PRIMARY KEY (act_id, bookmark_id)
) WITHOUT ROWID, STRICT;

-- The columns of `segments`; where `start_ms` is NULL, there was none.
CREATE TABLE act_segments (
    act_id INTEGER NOT NULL,
    segment_id INTEGER NOT NULL,
    podcast_id INTEGER,
    episode_id INTEGER,
    start_ms INTEGER,
    end_ms INTEGER,
    kind TEXT,
    created_at INTEGER,
    sound BLOB,
    found TEXT, -- a JSON array of its rows in `found_segments`
    audio INTEGER,
    moved_ms INTEGER,
    PRIMARY KEY (act_id, segment_id)
) WITHOUT ROWID, STRICT;

-- Positions before and after an import; NULL is none.
CREATE TABLE act_positions (
    act_id INTEGER NOT NULL,
    episode_id INTEGER NOT NULL,
    position_ms INTEGER,
    saved_at INTEGER,
    byte INTEGER,
    file_size INTEGER,
    guessed INTEGER,
    new_position_ms INTEGER NOT NULL,
    new_saved_at INTEGER NOT NULL,
    PRIMARY KEY (act_id, episode_id)
) WITHOUT ROWID, STRICT;


-- What other apps knew of episodes. `act_id` is the import, which may be undone, and may be forgotten.

-- What belongs to no episode yet: its feed may bring it.
CREATE TABLE waiting_episodes (
    podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
    fingerprint INTEGER NOT NULL,
    act_id INTEGER NOT NULL,
    guid TEXT NOT NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    published INTEGER,
    played INTEGER NOT NULL,
    position_ms INTEGER NOT NULL,
    changed_at INTEGER,
    starred INTEGER NOT NULL,
    rank INTEGER, -- in the queue
    heard TEXT NOT NULL, -- a JSON array of spans
    PRIMARY KEY (podcast_id, fingerprint)
) WITHOUT ROWID, STRICT;

-- What was applied to an episode already, so that importing the same again changes nothing.
CREATE TABLE brought (
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    fingerprint INTEGER NOT NULL,
    act_id INTEGER NOT NULL,
    PRIMARY KEY (episode_id, fingerprint)
) WITHOUT ROWID, STRICT;


-- Downloads. `why` is `manual`, or names the rule that wanted the episode; `original_size` and `original_head` are of the
-- file as the server sent it: all of it, and the tags before the audio.

-- The files of downloaded episodes.
CREATE TABLE downloads (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    downloaded_at INTEGER,
    size INTEGER,
    why TEXT NOT NULL DEFAULT 'manual',
    original_size INTEGER,
    original_head INTEGER,
    played_at INTEGER -- when the rules first saw it played
) STRICT;

-- What is to be downloaded or transcribed.
CREATE TABLE download_queue (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    state TEXT NOT NULL, -- `waiting`, `paused` or `failed`
    why TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    problem TEXT NOT NULL DEFAULT '', -- with `advice` a sentence about the last failure
    advice TEXT NOT NULL DEFAULT '',
    path TEXT NOT NULL DEFAULT '', -- where the complete file is about to be put
    downloads INTEGER NOT NULL DEFAULT 1, -- whether it is still to be downloaded, for the reason `why`
    transcribes INTEGER NOT NULL DEFAULT 0 -- whether it is still to be transcribed, after the download
) STRICT;

CREATE INDEX download_queue_by_rank ON download_queue (rank);

-- The lists whose first `most` episodes are downloaded.
CREATE TABLE list_downloads (
    list_id INTEGER PRIMARY KEY REFERENCES lists (id) ON DELETE CASCADE,
    most INTEGER NOT NULL
) STRICT;

-- What rules must not forget of episodes. Triggers write here, so that whatever deletes a download is noticed.
CREATE TABLE download_notes (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    refusal TEXT NOT NULL, -- why no rule downloads it again: `deleted` (by hand), `failed`, `cleaned`; '' for nothing
    size INTEGER -- of the file it had
) STRICT;

CREATE TRIGGER deleted_download_is_noted AFTER DELETE ON downloads
WHEN EXISTS (SELECT 1 FROM episodes WHERE id = OLD.episode_id) BEGIN
    INSERT OR REPLACE INTO download_notes (episode_id, refusal, size) VALUES (OLD.episode_id, 'deleted', OLD.size);
END;

CREATE TRIGGER cancelled_download_is_noted AFTER DELETE ON download_queue
WHEN OLD.downloads AND OLD.why <> 'manual'
    AND EXISTS (SELECT 1 FROM episodes WHERE id = OLD.episode_id)
    AND NOT EXISTS (SELECT 1 FROM downloads WHERE episode_id = OLD.episode_id) BEGIN
    INSERT OR IGNORE INTO download_notes (episode_id, refusal) VALUES (OLD.episode_id, 'deleted');
    UPDATE download_notes SET refusal = 'deleted' WHERE episode_id = OLD.episode_id;
END;

CREATE TRIGGER download_ends_refusal AFTER INSERT ON downloads BEGIN
    DELETE FROM download_notes WHERE episode_id = NEW.episode_id;
END;

-- Files that rules moved aside. There are no foreign keys, since a file outlives its episode.
CREATE TABLE download_trash (
    episode_id INTEGER PRIMARY KEY,
    act_id INTEGER NOT NULL, -- the act that undoing takes back
    restored INTEGER NOT NULL DEFAULT 0, -- 1 from then on, until it is done again
    trashed_at INTEGER NOT NULL,
    trashed TEXT NOT NULL, -- where the file is; `path` is where it was
    path TEXT NOT NULL,
    downloaded_at INTEGER,
    size INTEGER,
    why TEXT NOT NULL,
    original_size INTEGER,
    original_head INTEGER,
    refusal TEXT NOT NULL DEFAULT 'cleaned' -- as in `download_notes`
) STRICT;


-- Sync

-- The account to sync with, if there is one, and how far it has come. While there is one, triggers write to
-- `sync_changed`.
CREATE TABLE sync_account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    target TEXT NOT NULL,
    address TEXT NOT NULL,
    user TEXT NOT NULL,
    device TEXT NOT NULL,
    name TEXT NOT NULL,
    cursor TEXT NOT NULL DEFAULT '',
    is_merged INTEGER NOT NULL DEFAULT 0,
    pulled_whole_at INTEGER,
    succeeded_at INTEGER,
    failed_at INTEGER,
    failure TEXT NOT NULL DEFAULT '',
    what TEXT NOT NULL DEFAULT '',
    advice TEXT NOT NULL DEFAULT '',
    failures INTEGER NOT NULL DEFAULT 0,
    step_ms INTEGER NOT NULL DEFAULT 1000, -- 1000 where the target keeps whole seconds
    has_facts INTEGER NOT NULL DEFAULT 0 -- whether it carries facts
) STRICT;

CREATE TABLE sync_devices (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    last_at INTEGER
) WITHOUT ROWID, STRICT;

-- What was changed here, and when; 0 is before there was an account. `id` is that of an episode, a podcast or a span; 0
-- for what is compared as a whole (stars, queue, bookmarks, segments, settings).
CREATE TABLE sync_changed (
    what TEXT NOT NULL,
    id INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (what, id)
) WITHOUT ROWID, STRICT;

-- The log: actions of all devices, none of which is ever changed.
CREATE TABLE sync_actions (
    id INTEGER PRIMARY KEY, -- made from what the action says, so that none is there twice
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL, -- NULL while no feed has brought its episode
    podcast_key TEXT NOT NULL,
    podcast TEXT NOT NULL,
    url TEXT NOT NULL,
    guid TEXT NOT NULL,
    device TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    started_ms INTEGER,
    position_ms INTEGER NOT NULL,
    total_ms INTEGER,
    seen_ms INTEGER NOT NULL,
    sound TEXT NOT NULL DEFAULT '' -- around the position, as far as that is needed
) STRICT;

CREATE INDEX sync_actions_of_episode ON sync_actions (episode_id);
CREATE INDEX sync_actions_unmatched ON sync_actions (podcast_key) WHERE episode_id IS NULL;

-- Episodes whose actions aren't applied, as they were playing, with what they were here before.
CREATE TABLE sync_held (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    played INTEGER NOT NULL,
    position_ms INTEGER NOT NULL
) STRICT;

-- The last change of each feed.
CREATE TABLE sync_subscriptions (
    key TEXT PRIMARY KEY,
    podcast TEXT NOT NULL,
    guid TEXT NOT NULL,
    title TEXT NOT NULL,
    is_subscribed INTEGER NOT NULL,
    is_here INTEGER NOT NULL, -- it was among the podcasts when they were last looked through
    is_known INTEGER NOT NULL, -- the target has the change
    at INTEGER NOT NULL,
    device TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- Addresses that podcasts left, with those that they have now. An alias is one that a podcast has elsewhere, though
-- nobody said that it moved.
CREATE TABLE sync_moves (
    former TEXT NOT NULL,
    present TEXT NOT NULL,
    is_alias INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (former, present)
) WITHOUT ROWID, STRICT;

-- The latest that any device said of a star, a bookmark and the like. `key` names what has no ID any more.
CREATE TABLE sync_facts (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    at INTEGER NOT NULL,
    device TEXT NOT NULL,
    is_applied INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID, STRICT;

-- What the target doesn't have yet: an action, a subscription (`kind` is '') or a fact.
CREATE TABLE sync_outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    action_id INTEGER REFERENCES sync_actions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL DEFAULT '',
    key TEXT NOT NULL DEFAULT '',
    refused TEXT -- the sentence of one that isn't tried again
) STRICT;

CREATE UNIQUE INDEX sync_outbox_actions ON sync_outbox (action_id) WHERE action_id IS NOT NULL;
CREATE UNIQUE INDEX sync_outbox_others ON sync_outbox (kind, key) WHERE action_id IS NULL;

-- Spans of the listening history that aren't sent yet, or that wait for their episodes.
CREATE TABLE sync_spans (
    key TEXT PRIMARY KEY,
    podcast_key TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    value TEXT NOT NULL,
    at INTEGER NOT NULL,
    device TEXT NOT NULL,
    waits INTEGER NOT NULL
) STRICT;

CREATE INDEX sync_spans_waiting ON sync_spans (podcast_key) WHERE waits = 1;

-- Which of the spans that are here other devices say.
CREATE TABLE sync_spans_of_others (
    span_id INTEGER PRIMARY KEY REFERENCES listening_spans (id) ON DELETE CASCADE
) STRICT;

-- The triggers of sync. In a trigger OR IGNORE and OR REPLACE mean what the statement says that set it off: neither is
-- used.

-- A position is saved every second: what is noted already isn't written again.
CREATE TRIGGER sync_position_made AFTER INSERT ON progress
WHEN EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'position' AND id = NEW.episode_id) BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('position', NEW.episode_id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_position_moved AFTER UPDATE OF position_ms ON progress
WHEN EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'position' AND id = NEW.episode_id) BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('position', NEW.episode_id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_position_dropped AFTER DELETE ON progress
WHEN EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'position' AND id = OLD.episode_id) BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('position', OLD.episode_id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

-- Of marks and subscriptions the time of the last change counts.
CREATE TRIGGER sync_played AFTER UPDATE OF played ON episodes
WHEN OLD.played <> NEW.played AND EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_changed SET changed_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE what = 'played' AND id = NEW.id;
    INSERT INTO sync_changed (what, id, changed_at)
    SELECT 'played', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE NOT EXISTS (SELECT 1 FROM sync_changed
    WHERE what = 'played' AND id = NEW.id);
END;

CREATE TRIGGER sync_podcast_added AFTER INSERT ON podcasts WHEN EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_changed SET changed_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE what = 'podcast' AND id = NEW.id;
    INSERT INTO sync_changed (what, id, changed_at)
    SELECT 'podcast', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE NOT EXISTS (SELECT 1 FROM sync_changed
    WHERE what = 'podcast' AND id = NEW.id);
END;

CREATE TRIGGER sync_podcast_removed AFTER DELETE ON podcasts WHEN EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_changed SET changed_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE what = 'podcast' AND id = OLD.id;
    INSERT INTO sync_changed (what, id, changed_at)
    SELECT 'podcast', OLD.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE NOT EXISTS (SELECT 1 FROM sync_changed
    WHERE what = 'podcast' AND id = OLD.id);
END;

CREATE TRIGGER sync_podcast_subscribed AFTER UPDATE OF previewed_at ON podcasts
WHEN EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_changed SET changed_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE what = 'podcast' AND id = NEW.id;
    INSERT INTO sync_changed (what, id, changed_at)
    SELECT 'podcast', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE NOT EXISTS (SELECT 1 FROM sync_changed
    WHERE what = 'podcast' AND id = NEW.id);
END;

-- All addresses by which other devices may know a podcast that has this one now.
CREATE VIEW sync_former_addresses AS
WITH RECURSIVE formers (url, former) AS (
    SELECT present, former FROM sync_moves
    UNION SELECT f.url, m.former FROM formers f CROSS JOIN sync_moves m ON m.present = f.former
) SELECT url, former FROM formers;

-- What another device unsubscribed from is gone here as well now: if it comes back, the listener wanted that.
CREATE TRIGGER sync_podcast_followed AFTER DELETE ON podcasts WHEN EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_subscriptions SET is_here = 0 WHERE is_subscribed = 0 AND (key = OLD.url_key
    OR podcast IN (SELECT former FROM sync_former_addresses WHERE url = OLD.url));
END;

-- And what another device subscribed to is here from now on: if it goes, the listener wanted that.
CREATE TRIGGER sync_podcast_came AFTER INSERT ON podcasts
WHEN NEW.previewed_at IS NULL AND EXISTS (SELECT 1 FROM sync_account) BEGIN
    UPDATE sync_subscriptions SET is_here = 1 WHERE is_subscribed = 1 AND (key = NEW.url_key
    OR podcast IN (SELECT former FROM sync_former_addresses WHERE url = NEW.url));
END;

CREATE TRIGGER sync_podcast_moved AFTER UPDATE OF url_key ON podcasts
WHEN OLD.url_key <> NEW.url_key AND EXISTS (SELECT 1 FROM sync_account) BEGIN
    INSERT INTO sync_moves (former, present)
    SELECT OLD.url, NEW.url
    WHERE NOT EXISTS (SELECT 1 FROM sync_moves WHERE former = OLD.url AND present = NEW.url);
    UPDATE sync_changed SET changed_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE what = 'podcast' AND id = NEW.id;
    INSERT INTO sync_changed (what, id, changed_at)
    SELECT 'podcast', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    WHERE NOT EXISTS (SELECT 1 FROM sync_changed
    WHERE what = 'podcast' AND id = NEW.id);
END;

-- These are compared as a whole: that something was changed is noted once.
CREATE TRIGGER sync_starred AFTER UPDATE OF starred ON episodes
WHEN OLD.starred <> NEW.starred AND EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'star') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('star', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_queued AFTER INSERT ON queue
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'queue') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('queue', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_unqueued AFTER DELETE ON queue
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'queue') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('queue', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_queue_sorted AFTER UPDATE OF rank ON queue
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'queue') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('queue', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_bookmarked AFTER INSERT ON bookmarks
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'bookmark') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('bookmark', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_bookmark_changed AFTER UPDATE ON bookmarks
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'bookmark') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('bookmark', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_bookmark_deleted AFTER DELETE ON bookmarks
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'bookmark') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('bookmark', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_segment_marked AFTER INSERT ON segments
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'segment') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('segment', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_segment_changed AFTER UPDATE OF start_ms, end_ms, kind ON segments
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'segment') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('segment', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_segment_deleted AFTER DELETE ON segments
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'segment') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('segment', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_settings_made AFTER INSERT ON podcast_settings
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_settings_changed AFTER UPDATE ON podcast_settings
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_settings_dropped AFTER DELETE ON podcast_settings
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_tagged AFTER INSERT ON podcast_tags
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_untagged AFTER DELETE ON podcast_tags
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_podcast_arranged AFTER UPDATE OF own_title, pinned ON podcasts
WHEN EXISTS (SELECT 1 FROM sync_account) AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'settings') BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('settings', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

-- A span that is being heard grows every few seconds, and is noted once.
CREATE TRIGGER sync_heard AFTER INSERT ON listening_spans
WHEN EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'span' AND id = NEW.id) BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('span', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

CREATE TRIGGER sync_heard_on AFTER UPDATE OF to_ms ON listening_spans
WHEN OLD.to_ms <> NEW.to_ms AND EXISTS (SELECT 1 FROM sync_account)
    AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'span' AND id = NEW.id) BEGIN
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('span', NEW.id, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
END;

-- When the history is forgotten, what isn't sent of it goes, too. `changed_at` is then until when: the end of what was
-- here, if another device's clock was ahead, by a day at most.
CREATE TRIGGER sync_forgot AFTER INSERT ON state
WHEN NEW.key = 'history_forgotten' AND EXISTS (SELECT 1 FROM sync_account) BEGIN
    DELETE FROM sync_outbox
    WHERE kind = 'span' AND key IN (SELECT key FROM sync_spans WHERE began_at < NEW.value + 0);
    DELETE FROM sync_spans WHERE began_at < NEW.value + 0;
    DELETE FROM sync_changed WHERE what = 'forgotten';
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('forgotten', 0, max(NEW.value + 0, coalesce((
        SELECT min(max(began_at + CAST((to_ms - from_ms) / speed AS INTEGER)) + 1, NEW.value + 86400000)
        FROM listening_spans
    ), 0)));
END;

CREATE TRIGGER sync_forgot_again AFTER UPDATE ON state
WHEN NEW.key = 'history_forgotten' AND EXISTS (SELECT 1 FROM sync_account) BEGIN
    DELETE FROM sync_outbox
    WHERE kind = 'span' AND key IN (SELECT key FROM sync_spans WHERE began_at < NEW.value + 0);
    DELETE FROM sync_spans WHERE began_at < NEW.value + 0;
    DELETE FROM sync_changed WHERE what = 'forgotten';
    INSERT INTO sync_changed (what, id, changed_at)
    VALUES ('forgotten', 0, max(NEW.value + 0, coalesce((
        SELECT min(max(began_at + CAST((to_ms - from_ms) / speed AS INTEGER)) + 1, NEW.value + 86400000)
        FROM listening_spans
    ), 0)));
END;
